import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { Endpoint } from "../endpoint.ts";
import { failureKind, isServerFailure } from "../failure-kind.ts";
import { annotate, currentAnnotations, describeError, logError, logInfo } from "../logger.ts";
import { count, duration } from "../metrics.ts";
import { cors } from "./cors.ts";
import { renderErrors } from "./render.ts";
import { requestId } from "./request-id.ts";

/** What every endpoint receives of a request. */
export interface Request {
  /** The path parameter `{id}`; "" for an endpoint without one. */
  id: string;
  event: APIGatewayProxyEvent;
  /** Headers of a successful response, in addition to those of every response. The use case adds to them. */
  responseHeaders: Record<string, string>;
  /** Milliseconds until the platform ends the invocation. */
  remainingMilliseconds: () => number;
}

/**
 * The steps that all endpoints share: assign a request id, render errors, respond, log and record metrics.
 *
 * @param respond authenticates, parses, runs the use case and renders its result, as the kind of handler requires
 * @param plugin middy's plugin, for a handler that streams
 */
export function pipeline(
  endpoint: Endpoint,
  respond: (request: Request) => Promise<APIGatewayProxyResult>,
  plugin: NonNullable<Parameters<typeof middy>[1]> = {},
) {
  let startedAt = 0;
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    ...plugin,
    timeoutEarlyInMillis: 0, // use cases watch their own deadlines; middy's would start a timer for each request
    requestStart: () => {
      startedAt = performance.now();
    },
    requestEnd: async (request) => {
      await plugin.requestEnd?.(request);
      recordRequest(endpoint, request.response?.statusCode, Math.round(performance.now() - startedAt));
    },
  })
    .use(requestId())
    .use(cors())
    .use(logFailures(endpoint))
    .use(renderErrors(endpoint))
    .handler((event: APIGatewayProxyEvent, context: Context) =>
      respond({
        id: event.pathParameters?.id ?? "",
        event,
        responseHeaders: {},
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      }),
    );
}

function logFailures(endpoint: Endpoint): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return { onError: ({ error }) => logFailure(endpoint, error) };
}

/** Notes the kind of failure for the request's log line. A failure on the server's side gets a log line of its own. */
export function logFailure({ name: route }: Endpoint, error: unknown): void {
  const kind = failureKind(error);
  annotate({ error: kind });
  if (isServerFailure(kind)) {
    logError("failure", { route, kind, ...describeError(error) });
  }
}

/** Writes the log line and the metrics of a request once its whole response has been sent. They contain no input. */
function recordRequest({ name: route }: Endpoint, status: number | undefined, milliseconds: number): void {
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
