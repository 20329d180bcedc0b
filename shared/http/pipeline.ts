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

/** The parts of a request that every endpoint receives. */
export interface Request {
  /** The path parameter `{id}`; "" for an endpoint without one. */
  id: string;
  event: APIGatewayProxyEvent;
  /** Additional headers of a successful response. The use case adds to them. */
  responseHeaders: Record<string, string>;
  /** Milliseconds until the platform ends the invocation. */
  remainingMilliseconds: () => number;
  /** The result of the quota check, which is added to the response and settled when the request has ended. */
  keepAdmission: (admission: Promise<Admission> | undefined) => void;
}

/**
 * Creates a handler with the steps of all endpoints: assign a request id, render errors, respond, log and record
 * metrics.
 *
 * @param respond authenticates, parses, runs the use case and renders its result, depending on the kind of handler
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
    timeoutEarlyInMillis: 0, // use cases observe their own deadlines; middy would start a timer for each request
    requestStart: () => {
      startedAt = performance.now();
      admission = undefined;
    },
    requestEnd: async (request) => {
      await plugin.requestEnd?.(request);
      if (admission) {
        const status = request.response?.statusCode ?? 500;
        const created = status < 400 && currentAnnotations().replayed !== true;
        await (await admission).settle(tokensUsed(), created);
      }
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

/** Adds the quota headers, if the client has quotas, to every response, allowed or rejected. */
function quotaHeaders(
  admission: () => Promise<Admission> | undefined,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const add = ({ response }: { response?: APIGatewayProxyResult | null }) =>
    admission()?.then(({ headers }) => {
      if (response) {
        response.headers = { ...response.headers, ...headers };
      }
    });
  return { after: add, onError: add };
}

/** Returns the tokens that the request has used so far, according to its log line. */
function tokensUsed(): number {
  const { inputTokens = 0, outputTokens = 0 } = currentAnnotations();
  return Number(inputTokens) + Number(outputTokens);
}

function logFailures(endpoint: Endpoint): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return { onError: ({ error }) => logFailure(endpoint, error) };
}

/** Adds the kind of failure to the request's log line. A server-side failure also gets a separate log line. */
export function logFailure({ name: route }: Endpoint, error: unknown): void {
  const kind = failureKind(error);
  annotate({ error: kind });
  if (isServerFailure(kind)) {
    logError("failure", { route, kind, ...describeError(error) });
  }
}

/**
 * Writes the metrics and then the log line of a request once its whole response has been sent. They contain no input.
 * The log line comes last, so whoever reads it has everything that the request wrote.
 */
function recordRequest({ name: route }: Endpoint, status: number | undefined, milliseconds: number): void {
  const annotations = currentAnnotations();
  const { error, client } = annotations;
  if (typeof error === "string") {
    count("Errors", 1, { error });
  }
  if (error === "not-found" && client !== undefined) {
    count("UnknownIds", 1);
  }
  writeMetrics(currentRequestId());
  logInfo("request", { route, status, durationMs: milliseconds, ...annotations });
}
