import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { BodyOf, Endpoint } from "../contract/endpoint.ts";
import type { RequestContext } from "../request/request-context.ts";
import { startEventStream } from "./event-stream.ts";
import { type Call, type Reader, readCall, rejectOverQuota, settleQuotas } from "./json-handler.ts";
import { pipeline, recordFailure } from "./pipeline.ts";
import { HEADERS, type HttpResponse, streamedError } from "./render.ts";

/**
 * Creates the Lambda handler of an endpoint that requires a key and responds with JSON or with server-sent events. Both
 * use Lambda's response streaming, because an integration streams either all responses or none.
 *
 * @param respond runs the use case and renders its result, with {@link respondWithEvents} for a stream
 * @param reader `jsonBody`, for an endpoint that has a body
 */
export function streamingHandler<E extends Endpoint & { streams: true }>(
  endpoint: E,
  respond: (call: Call<BodyOf<E>>) => Promise<HttpResponse>,
  ...reader: Reader<E>
) {
  return pipeline(endpoint, {
    respond: async (context: RequestContext, event: APIGatewayProxyEvent) => {
      const call = await readCall(endpoint, context, event, reader);
      if (!endpoint.answersOverQuota) {
        await rejectOverQuota(context);
      }
      return respond(call);
    },
    conclude: settleQuotas,
    executionMode: executionModeStreamifyResponse,
  });
}

/** For servers that pass a stream on: nginx buffers it otherwise, and others compress it, which delays it too. */
const UNBUFFERED = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };

/**
 * Responds with server-sent events. The use case runs to its end even if the caller disconnects, and the invocation
 * lasts as long, so a turn is not lost.
 *
 * @param run runs the use case; receives the function that sends events
 * @param failureEvent returns the last event of a stream whose use case fails after the first event, from the body of
 *   the error
 * @throws the error of `run` before its first event
 */
export async function respondWithEvents(
  endpoint: Endpoint & { streams: true },
  context: RequestContext,
  run: (send: (event: string) => void) => Promise<void>,
  failureEvent: (body: Record<string, unknown>) => string,
): Promise<HttpResponse> {
  const { body, finished } = await startEventStream(run, (error) => {
    recordFailure(context, error);
    context.log.streamFailed = true;
    return failureEvent(streamedError(endpoint, error, context.help));
  });
  context.finished = finished;
  const headers = { "content-type": "text/event-stream; charset=utf-8", ...HEADERS, ...UNBUFFERED };
  return { statusCode: endpoint.status, headers, body };
}
