import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { Endpoint } from "../endpoint.ts";
import { failureKind, isServerFailure } from "../failure-kind.ts";
import { annotate, currentAnnotations, currentRequestId, describeError, logError, logInfo } from "../logger.ts";
import { count, writeMetrics } from "../metrics.ts";
import type { Admission } from "../quotas/admission.ts";
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
  /** Adds what the client's quotas say to the response, and settles it when the request has ended. */
  keepAdmission: (admission: Promise<Admission> | undefined) => void;
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
  let admission: Promise<Admission> | undefined;
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    ...plugin,
    timeoutEarlyInMillis: 0, // use cases watch their own deadlines; middy's would start a timer for each request
    requestStart: () => {
      startedAt = performance.now();
      admission = undefined;
    },
    requestEnd: async (request) => {
      await plugin.requestEnd?.(request);
      const status = request.response?.statusCode ?? 500;
      const created = status < 400 && currentAnnotations().replayed !== true;
      await (await admission)?.settle(tokensUsed(), created);
      recordRequest(endpoint, request.response?.statusCode, Math.round(performance.now() - startedAt));
    },
  })
    .use(requestId())
    .use(cors())
    .use(quotaHeaders(() => admission))
    .use(logFailures(endpoint))
    .use(renderErrors(endpoint))
    .handler((event: APIGatewayProxyEvent, context: Context) =>
      respond({
        id: event.pathParameters?.id ?? "",
        event,
        responseHeaders: {},
        remainingMilliseconds: () => context.getRemainingTimeInMillis(),
        keepAdmission: (kept) => {
          admission = kept;
        },
      }),
    );
}

/** Adds what the client's quotas say, if it has any, to every response, allowed or not. */
function quotaHeaders(
  admission: () => Promise<Admission> | undefined,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const add = async ({ response }: { response?: APIGatewayProxyResult | null }) => {
    const headers = (await admission())?.headers;
    if (headers && response) {
      response.headers = { ...response.headers, ...headers };
    }
  };
  return { after: add, onError: add };
}

/** The tokens that the request has used so far, as its log line has them. */
function tokensUsed(): number {
  const { inputTokens = 0, outputTokens = 0 } = currentAnnotations();
  return Number(inputTokens) + Number(outputTokens);
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
  const { error, client, tenant } = annotations;
  if (typeof error === "string") {
    count("Errors", 1, { error });
  }
  if (error === "not-found" && typeof client === "string" && typeof tenant === "string") {
    count("UnknownIds", 1, { client, tenant });
  }
  writeMetrics(currentRequestId());
}
