import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { failureKind, isServerFailure } from "../failure-kind.ts";
import { annotate, currentAnnotations, describeError, logError, logInfo } from "../logger.ts";
import { count, duration } from "../metrics.ts";
import type { BodyOf } from "../openapi/contract.ts";
import type { Route } from "../openapi/routes.ts";
import type { BodyReader } from "./parse-request.ts";
import { renderErrors } from "./render.ts";
import { requestId } from "./request-id.ts";

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

/** What differs between kinds of endpoints. */
export interface PipelineOptions<R extends Route> {
  /** The use case, with its result rendered. */
  respond: (call: Call<R>) => Promise<APIGatewayProxyResult>;
  reader?: Reader<R> | [];
  /** What lets a request through or throws, before its body is looked at. */
  guards?: MiddlewareObj<APIGatewayProxyEvent>[];
  /** How middy is to run it, where that is not the usual way. */
  plugin?: NonNullable<Parameters<typeof middy>[1]>;
}

/** The steps that all endpoints share: request id ← render errors ← guards ← parse → use case → render → log. */
export function pipeline<R extends Route>(route: R, { respond, reader, guards = [], plugin = {} }: PipelineOptions<R>) {
  let startedAt = 0;
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    ...plugin,
    timeoutEarlyInMillis: 0, // use cases watch the time themselves; middy's own watch is a timer for each request
    requestStart: () => {
      startedAt = performance.now();
    },
    requestEnd: async (request) => {
      await plugin.requestEnd?.(request);
      recordRequest(route, request.response?.statusCode, Math.round(performance.now() - startedAt));
    },
  })
    .use(requestId())
    .use(noteRoute(route))
    .use(logFailures(route))
    .use(renderErrors(route))
    .use(guards)
    .handler((event: APIGatewayProxyEvent, context: Context) =>
      respond({
        body: reader?.[0]?.(route, event) as Call<R>["body"],
        id: event.pathParameters?.id ?? "",
        event,
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      }),
    );
}

/** For whatever is logged of the request from here on. */
function noteRoute(route: Route): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return { before: () => annotate({ route: route.name }) };
}

function logFailures(route: Route): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return { onError: ({ error }) => logFailure(route, error) };
}

/** Notes what a request failed with. What failed on our side has a line of its own; the caller's own faults need none. */
export function logFailure(route: Route, error: unknown): void {
  const kind = failureKind(error);
  annotate({ error: kind });
  if (isServerFailure(kind)) {
    logError("failure", { route: route.name, kind, ...describeError(error) });
  }
}

/** A line and the metrics of each request, when all of its response is out, without anything the caller sent. */
function recordRequest({ name: route }: Route, status: number | undefined, milliseconds: number): void {
  const annotations = currentAnnotations();
  logInfo("request", { route, status, durationMs: milliseconds, ...annotations });
  const kind = annotations.error;
  const failed = typeof kind === "string";
  count("Requests", 1, { route });
  duration("Latency", milliseconds, { route });
  count("ServerErrors", failed && isServerFailure(kind) ? 1 : 0, { route }); // the zeros make the average the rate
  if (failed) {
    count("Errors", 1, { kind });
  }
}
