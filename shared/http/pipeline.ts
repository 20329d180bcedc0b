import { Readable } from "node:stream";
import { pipeline as pipe } from "node:stream/promises";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { config } from "../config.ts";
import type { Endpoint } from "../endpoint.ts";
import { failureKind, isServerFailure } from "../failure-kind.ts";
import { header } from "../header.ts";
import { describeError, logError, logInfo } from "../logger.ts";
import { count, writeMetrics } from "../metrics.ts";
import { inRequest, RequestContext } from "../request-context.ts";
import { CORS_EXPOSED_HEADERS } from "./cors-headers.ts";
import { type HttpResponse, renderError } from "./render.ts";

/** What a kind of handler does with a request. */
interface Steps<Body extends string | Readable> {
  /** Authenticates, parses, runs the use case and renders its result. May throw. */
  respond(context: RequestContext, event: APIGatewayProxyEvent): Promise<HttpResponse<Body>>;
  /** Runs once the whole response has been sent, also that of a failure. Must not throw. */
  conclude?(context: RequestContext, status: number): Promise<void>;
}

/** Creates the Lambda handler of an endpoint whose responses are sent as a whole. */
export function bufferedPipeline(endpoint: Endpoint, steps: Steps<string>) {
  return (event: APIGatewayProxyEvent, invocation: Context): Promise<APIGatewayProxyResult> =>
    handle(endpoint, steps, event, invocation, async (response) => response);
}

/** Creates the Lambda handler of an endpoint that uses Lambda's response streaming. */
export function streamingPipeline(endpoint: Endpoint, steps: Steps<string | Readable>) {
  return awslambda.streamifyResponse<APIGatewayProxyEvent>((event, output, invocation) =>
    handle(endpoint, steps, event, invocation, async ({ statusCode, headers, body }) => {
      const stream = awslambda.HttpResponseStream.from(output, { statusCode, headers });
      stream.write(""); // sends the status and the headers, even if the body is empty
      await pipe(typeof body === "string" ? Readable.from([body]) : body, stream);
    }),
  );
}

/**
 * The steps of every request: create its context, respond or render the error, send the response, conclude, write the
 * metrics and the log line.
 *
 * @param send resolves when the whole response has been sent
 */
function handle<Body extends string | Readable, Sent>(
  endpoint: Endpoint,
  { respond, conclude }: Steps<Body>,
  event: APIGatewayProxyEvent,
  invocation: Context,
  send: (response: HttpResponse<Body | string>) => Promise<Sent>,
): Promise<Sent> {
  const deadline = Date.now() + invocation.getRemainingTimeInMillis();
  const context = new RequestContext(requestId(event), endpoint.name, deadline);
  return inRequest(context, async () => {
    const response = await respond(context, event).catch((error: unknown): HttpResponse<string> => {
      recordFailure(context, error);
      return renderError(endpoint, error);
    });
    const headers = { ...response.headers, ...(await commonHeaders(context)) };
    try {
      return await send({ ...response, headers });
    } finally {
      await response.finished;
      await conclude?.(context, response.statusCode);
      recordRequest(context, response.statusCode);
    }
  });
}

/** Matches a caller's ID that is safe to use: short and plain, because it goes into headers and logs. */
const SANE = /^[\w.:-]{1,128}$/;

/** Returns the caller's ID of the request or, without a usable one, the gateway's. */
function requestId(event: APIGatewayProxyEvent): string {
  const own = header(event, "x-request-id");
  return own !== undefined && SANE.test(own) ? own : event.requestContext.requestId;
}

/**
 * Returns the headers of every response, successful or not: the request's ID, the client's quotas if it has any, and
 * those that let pages of another origin read the response if the deployment has one (`CORS_ORIGIN`). The gateway
 * answers preflight requests (`infra/cors.ts`).
 */
async function commonHeaders({ id, admission, replayed }: RequestContext): Promise<Record<string, string>> {
  const origin = config.corsOrigin;
  return {
    ...(await admission)?.headers,
    ...(replayed && { "idempotent-replayed": "true" }),
    ...(origin !== undefined && {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": CORS_EXPOSED_HEADERS.join(","),
    }),
    "x-request-id": id,
  };
}

/** Notes why a request failed. A server-side failure also gets a separate log line. */
export function recordFailure(context: RequestContext, error: unknown): void {
  const kind = failureKind(error);
  context.failure = kind;
  if (isServerFailure(kind)) {
    logError("failure", { route: context.route, kind, ...describeError(error) });
  }
}

/**
 * Writes the metrics and then the log line of a request once its whole response has been sent. They contain no input.
 * The log line comes last, so whoever reads it has everything that the request wrote.
 */
function recordRequest(context: RequestContext, status: number): void {
  const { route, startedAt, caller, failure: error, replayed, usage, databaseTime, log } = context;
  const { client, tenant } = caller ?? {};
  if (error !== undefined) {
    count("Errors", 1, { error });
  }
  if (error === "not-found" && caller) {
    count("UnknownIds", 1);
  }
  writeMetrics(context);
  logInfo("request", {
    route,
    status,
    durationMs: Math.round(performance.now() - startedAt),
    client,
    tenant,
    error,
    replayed: replayed || undefined,
    databaseMs: databaseTime.milliseconds && Math.round(databaseTime.milliseconds),
    ...usage,
    ...log,
  });
}
