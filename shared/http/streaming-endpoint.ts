import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyResult } from "aws-lambda";
import { authenticate } from "../auth/authenticate.ts";
import { header } from "../header.ts";
import { annotate } from "../logger.ts";
import type { ResponseOf } from "../openapi/contract.ts";
import type { Route } from "../openapi/routes.ts";
import { startEventStream } from "./event-stream.ts";
import { type Call, logFailure, pipeline, type Reader } from "./pipeline.ts";
import { errorBody, HEADERS, renderResult } from "./render.ts";

/** What the use case of a route that streams gets. */
export interface StreamingCall<R extends Route> extends Call<R> {
  /** Takes the answer's words as they come; undefined when the caller wants plain JSON. */
  onText?: (text: string) => void;
}

/**
 * Makes the Lambda handler of a route that answers as JSON or, to `Accept: text/event-stream`, as server-sent events.
 * Both go through Lambda's response streaming, since the route's integration is the one or the other for all responses.
 *
 * A stream's use case runs to its end even if nobody reads any more, and the invocation lasts as long: a caller that
 * hangs up does not lose the turn.
 *
 * @param run the use case; returns the body of success
 * @param reader reads the body, for a route that has one
 */
export function streamingEndpoint<R extends Route & { streams: true }>(
  route: R,
  run: (call: StreamingCall<R>) => Promise<ResponseOf<R["name"]>>,
  ...reader: Reader<R>
) {
  let finished: Promise<void> | undefined;
  return pipeline(route, {
    respond: async (call) => {
      finished = undefined;
      if (!/text\/event-stream/i.test(header(call.event, "accept") ?? "")) {
        return renderResult(route, await run(call));
      }
      const onFailure = (error: unknown) => {
        logFailure(route, error);
        annotate({ streamFailed: true });
        return errorBody(route, error);
      };
      const events = await startEventStream((onText) => run({ ...call, onText }), onFailure);
      finished = events.finished;
      return {
        statusCode: route.status,
        headers: { "content-type": "text/event-stream; charset=utf-8", ...HEADERS },
        body: events.body,
      } as unknown as APIGatewayProxyResult; // middy's own type knows only strings
    },
    reader,
    guards: [authenticate()],
    plugin: { executionMode: executionModeStreamifyResponse, requestEnd: () => finished },
  });
}
