import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { BodyOf, Endpoint, Operation, ResponseOf } from "../endpoint.ts";
import { header } from "../header.ts";
import type { RequestContext } from "../request-context.ts";
import { prefersEventStream } from "./accept.ts";
import { startEventStream } from "./event-stream.ts";
import { type Call, type Reader, readCall, settleQuotas } from "./json-handler.ts";
import { pipeline, recordFailure } from "./pipeline.ts";
import { HEADERS, type HttpResponse, renderResult, streamedError } from "./render.ts";

/** The inputs of a streaming endpoint's use case. */
export interface StreamingCall<Body> extends Call<Body> {
  /** Receives the text of the answer as it arrives; undefined if the caller requested plain JSON. */
  onText?: (text: string) => void;
  /** Sends an event with another name; undefined in the same case. */
  onEvent?: (event: string, data: unknown) => void;
}

/**
 * Creates the Lambda handler of an endpoint that responds with JSON or, if `Accept` prefers them, with
 * server-sent events. Both use Lambda's response streaming, because an integration streams either all responses or
 * none.
 *
 * The use case of a stream runs to its end even if the caller disconnects, and the invocation lasts as long, so the
 * turn is not lost.
 *
 * @param run the use case; returns the body of the successful response
 * @param reader reads the body, for an endpoint that has one
 */
export function streamingHandler<O extends () => Operation>(
  endpoint: Endpoint & { streams: true },
  run: (call: StreamingCall<BodyOf<O>>) => Promise<ResponseOf<O>>,
  ...reader: Reader<O>
) {
  const respond = async (context: RequestContext, event: APIGatewayProxyEvent): Promise<HttpResponse> => {
    const call = await readCall(endpoint, context, event, reader);
    if (!prefersEventStream(header(event, "accept"))) {
      return renderResult(endpoint, await run(call), context.responseHeaders);
    }
    const onFailure = (error: unknown) => {
      recordFailure(context, error);
      context.log.streamFailed = true;
      return streamedError(endpoint, error);
    };
    const { body, finished } = await startEventStream(
      (onText, onEvent) => run({ ...call, onText, onEvent }),
      onFailure,
    );
    context.finished = finished;
    const headers = { "content-type": "text/event-stream; charset=utf-8", ...HEADERS, ...context.responseHeaders };
    return { statusCode: endpoint.status, headers, body };
  };
  return pipeline(endpoint, { respond, conclude: settleQuotas, executionMode: executionModeStreamifyResponse });
}
