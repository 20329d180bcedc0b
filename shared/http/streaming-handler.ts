import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyResult } from "aws-lambda";
import type { BodyOf, Endpoint, Operation, ResponseOf } from "../endpoint.ts";
import { header } from "../header.ts";
import { annotate } from "../logger.ts";
import { startEventStream } from "./event-stream.ts";
import { type Call, type Reader, readCall } from "./json-handler.ts";
import { logFailure, pipeline } from "./pipeline.ts";
import { errorBody, HEADERS, renderResult } from "./render.ts";

/** The inputs of a streaming endpoint's use case. */
export interface StreamingCall<Body> extends Call<Body> {
  /** Receives the text of the answer as it arrives; undefined if the caller requested plain JSON. */
  onText?: (text: string) => void;
  /** Sends an event with another name; undefined in the same case. */
  onEvent?: (event: string, data: unknown) => void;
}

/**
 * Creates the Lambda handler of an endpoint that responds with JSON or, with `Accept: text/event-stream`, with
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
  let finished: Promise<void> | undefined;
  const respond = async (call: Call<BodyOf<O>>): Promise<APIGatewayProxyResult> => {
    if (!/text\/event-stream/i.test(header(call.event, "accept") ?? "")) {
      return renderResult(endpoint, await run(call), call.responseHeaders);
    }
    const onFailure = (error: unknown) => {
      logFailure(endpoint, error);
      annotate({ streamFailed: true });
      return errorBody(endpoint, error);
    };
    const events = await startEventStream((onText, onEvent) => run({ ...call, onText, onEvent }), onFailure);
    finished = events.finished;
    return {
      statusCode: endpoint.status,
      headers: { "content-type": "text/event-stream; charset=utf-8", ...HEADERS, ...call.responseHeaders },
      body: events.body,
    } as unknown as APIGatewayProxyResult; // middy's own type has only strings
  };
  return pipeline(
    endpoint,
    async (request) => {
      finished = undefined;
      return respond(await readCall(endpoint, request, reader));
    },
    { executionMode: executionModeStreamifyResponse, requestEnd: () => finished },
  );
}
