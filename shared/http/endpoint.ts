import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { ServiceError } from "../errors.ts";
import { currentAnnotations, describeError, logError, logInfo } from "../logger.ts";
import { authenticate } from "./authenticate.ts";
import type { BodyOf, ResponseOf } from "./contract.ts";
import type { BodyReader } from "./parse-request.ts";
import { renderErrors, renderResult } from "./render.ts";
import { requestId } from "./request-id.ts";
import type { Route } from "./routes.ts";

/** What a use case gets of a request. */
export interface Call<R extends Route> {
  /** The checked body; undefined for a route without one. */
  body: BodyOf<R["name"]>;
  /** The path parameter `{id}`, "" for a route without one. */
  id: string;
  event: APIGatewayProxyEvent;
  /** Milliseconds until the platform ends the invocation. */
  remainingMilliseconds: () => number;
}

/** How a route's body is read: a route with a body needs a reader, one without takes none. */
export type Reader<R extends Route> = BodyOf<R["name"]> extends undefined ? [] : [BodyReader<BodyOf<R["name"]>>];

/**
 * Makes the Lambda handler of a route: request id ← render errors ← authenticate ← parse → use case → render → log. The
 * steps throw, and only `render.ts` answers. A route that streams is made by `streaming-endpoint.ts`.
 *
 * @param run the use case; returns the body of success
 * @param reader reads the body, for a route that has one
 */
export function endpoint<R extends Route & { streams?: never }>(
  route: R,
  run: (call: Call<R>) => Promise<ResponseOf<R["name"]>>,
  ...reader: Reader<R>
) {
  return pipeline(route, async (call: Call<R>) => renderResult(route, await run(call)), reader);
}

/**
 * The steps that all routes share.
 *
 * @param respond the use case, with its result rendered
 * @param plugin how middy is to run it, where that is not the usual way
 */
export function pipeline<R extends Route>(
  route: R,
  respond: (call: Call<R>) => Promise<APIGatewayProxyResult>,
  [readBody]: Reader<R> | [],
  plugin: NonNullable<Parameters<typeof middy>[1]> = {},
) {
  let startedAt = 0;
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    ...plugin,
    requestStart: () => {
      startedAt = performance.now();
    },
    requestEnd: async (request) => {
      await plugin.requestEnd?.(request);
      logRequest(route, request.response?.statusCode, performance.now() - startedAt);
    },
  })
    .use(requestId())
    .use(logFailures(route))
    .use(renderErrors(route))
    .use(authenticate(route))
    .handler((event: APIGatewayProxyEvent, context: Context) =>
      respond({
        body: readBody?.(route, event) as Call<R>["body"],
        id: event.pathParameters?.id ?? "",
        event,
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      }),
    );
}

function logFailures(route: Route): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return { onError: ({ error }) => logFailure(route, error) };
}

/** A line for what failed on our side; the caller's own faults need none. */
export function logFailure(route: Route, error: unknown): void {
  if (!(error instanceof ServiceError)) {
    logError("failure", { route: route.name, ...describeError(error) });
  }
}

/** One line for each request, when all of its response is out, without anything the caller sent. */
function logRequest(route: Route, status: number | undefined, milliseconds: number): void {
  logInfo("request", { route: route.name, status, durationMs: Math.round(milliseconds), ...currentAnnotations() });
}
