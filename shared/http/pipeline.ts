import middy, { type MiddlewareObj, type PluginExecutionMode } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { config } from "../config.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { DID_YOU_MEAN, header } from "../contract/header.ts";
import { ServiceError } from "../errors.ts";
import { usageFields } from "../observability/gen-ai.ts";
import { describeError, logError, logInfo } from "../observability/logger.ts";
import { count, writeMetrics } from "../observability/metrics.ts";
import { failureKind, isServerFailure } from "../request/failure-kind.ts";
import { inRequest, RequestContext, SYSTEM_MESSAGES } from "../request/request-context.ts";
import { aiMark } from "./ai-mark.ts";
import { CORS_EXPOSED_HEADERS } from "./cors-headers.ts";
import { answers, methodNotAllowed } from "./method-not-allowed.ts";
import { type HttpResponse, renderError } from "./render.ts";

/** What a kind of handler does with a request. */
interface Steps {
  /** Authenticates, parses, runs the use case and renders its result. May throw. */
  respond(context: RequestContext, event: APIGatewayProxyEvent): Promise<HttpResponse>;
  /** Runs once the whole response has been sent, also that of a failure. Must not throw. */
  conclude?(context: RequestContext, status: number): Promise<void>;
  /** How the response is sent, if not as a whole. */
  executionMode?: PluginExecutionMode;
}

type Step = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/**
 * Creates the Lambda handler of an endpoint, which answers other methods with a 405. The steps of every request: create
 * its context, respond or render the error, add the common headers, send the response, conclude, write the metrics and
 * the log line.
 *
 * @returns the handler, with the endpoint that it serves
 */
export function pipeline(endpoint: Endpoint, { respond, conclude, executionMode }: Steps) {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    ...(executionMode && { executionMode }),
    timeoutEarlyInMillis: 0, // use cases observe their own deadlines; middy would start a timer for each request
    requestEnd: ({ context: invocation, response }) => {
      const context = contextOf(invocation);
      return inRequest(context, async () => {
        await context.finished;
        const status = response?.statusCode ?? 500;
        await conclude?.(context, status);
        recordRequest(context, status);
      });
    },
  })
    .use(createContext(endpoint))
    .use(commonHeaders())
    .use(renderErrors(endpoint)) // last, because middy runs `onError` in reverse order
    .handler((event: APIGatewayProxyEvent, invocation: Context) => {
      const context = contextOf(invocation);
      const run = async () =>
        answers(endpoint, event.httpMethod) ? respond(context, event) : methodNotAllowed(endpoint);
      // A stream is not in middy's type of a response.
      return inRequest(context, run) as Promise<unknown> as Promise<APIGatewayProxyResult>;
    });
  return Object.assign(handler, { endpoint });
}

/** The contexts of the requests in progress, by the platform's own object for each invocation. */
const contexts = new WeakMap<Context, RequestContext>();

function contextOf(invocation: Context): RequestContext {
  return contexts.get(invocation) as RequestContext;
}

function createContext({ name }: Endpoint): Step {
  return {
    before: ({ event, context: invocation }) => {
      const deadline = Date.now() + invocation.getRemainingTimeInMillis();
      const gatewayRequestId = event.requestContext.requestId;
      const own = ownRequestId(event);
      const context = new RequestContext(own ?? gatewayRequestId, name, deadline);
      context.isCheck = /:\d+$/.test(invocation.invokedFunctionArn);
      if (own !== undefined) {
        context.log.gatewayRequestId = gatewayRequestId;
      }
      contexts.set(invocation, context);
    },
  };
}

/** Adds {@link headersOf}, and {@link ownHeaders} to a successful response. Leaves out the body for HEAD. */
function commonHeaders(): Step {
  const add: NonNullable<Step["after"]> = async ({ event, response, context }) => {
    if (response) {
      if (event.httpMethod === "HEAD") {
        response.body = "";
      }
      const own = response.statusCode < 400 ? ownHeaders(contextOf(context)) : {};
      response.headers = { ...response.headers, ...own, ...(await headersOf(contextOf(context))) };
    }
  };
  return { after: add, onError: add };
}

function renderErrors(endpoint: Endpoint): Step {
  return {
    onError: async (failed) => {
      const { error } = failed;
      const context = contextOf(failed.context);
      inRequest(context, () => recordFailure(context, error));
      const lines = (await context.tenantState)?.clinic.helpLines;
      failed.response = renderError(endpoint, error, header(failed.event, "accept"), context.help, lines);
    },
  };
}

/** Matches a caller's ID that is safe to use: short and plain, because it goes into headers and logs. */
const SANE = /^[\w.:-]{1,128}$/;

/** Returns the caller's ID of the request if it is usable. */
function ownRequestId(event: APIGatewayProxyEvent): string | undefined {
  const own = header(event, "x-request-id");
  return own !== undefined && SANE.test(own) ? own : undefined;
}

/**
 * Returns the headers of every response: the request's ID, the client's quotas if it has any, and
 * those that let pages of another origin read the response if the deployment has one (`CORS_ORIGIN`). The gateway
 * answers preflight requests (`infra/cors.ts`).
 */
async function headersOf({ id, admission, replayed }: RequestContext): Promise<Record<string, string>> {
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

/** How a successful response came about: the mark of text by an AI, the lookup's result, what was ignored. */
function ownHeaders({ models, phoneLookup, likelyMeant, ignored }: RequestContext): Record<string, string> {
  return {
    ...aiMark(models),
    ...(phoneLookup && { "x-phone-lookup": phoneLookup }),
    ...(likelyMeant.length > 0 && { [DID_YOU_MEAN]: likelyMeant.join(", ") }),
    ...(ignored.length > 0 && { "x-ignored": ignored.join(", ") }),
  };
}

/** The codes of errors about ids that somebody may be guessing; the others are about names, such as a model's. */
const GUESSABLE = ["thread-not-found", "patient-not-found"];

/** Notes why a request failed. A server-side failure also gets a separate log line. */
export function recordFailure(context: RequestContext, error: unknown): void {
  const kind = failureKind(error);
  context.failure = kind;
  if (error instanceof ServiceError && error.code !== kind) {
    context.log.code = error.code;
  }
  if (error instanceof ServiceError && GUESSABLE.includes(error.code)) {
    count("UnknownIds", 1);
  }
  if (isServerFailure(kind)) {
    const fields = { route: context.route, kind, ...describeError(error) };
    if (context.isCheck) {
      logError("failure-in-check", fields); // not counted by an alarm: no caller uses this version yet
    } else {
      logError("failure", fields);
    }
  }
}

/**
 * Writes the metrics and then the log line of a request once its whole response has been sent. They contain no input.
 * The log line comes last, so whoever reads it has everything that the request wrote.
 */
function recordRequest(context: RequestContext, status: number): void {
  const {
    route,
    startedAt,
    caller,
    failure: error,
    replayed,
    usage,
    databaseTime,
    likelyMeant,
    ignored,
    log,
  } = context;
  const { client, tenant } = caller ?? {};
  if (error !== undefined) {
    count("Errors", 1, { error });
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
    ignoredSystemMessages: ignored.includes(SYSTEM_MESSAGES) || undefined,
    likelyMeant: likelyMeant.length > 0 ? likelyMeant : undefined,
    databaseMs: databaseTime.milliseconds && Math.round(databaseTime.milliseconds),
    ...usageFields(usage),
    ...log,
  });
}
