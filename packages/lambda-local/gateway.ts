import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { type FunctionResponse, readFunctionResponse } from "./function-response.ts";
import { type LocalFunction, TooManyInvocations } from "./lambda-function.ts";
import { decodedParameters, pathParameters } from "./path-parameters.ts";
import type { MockTemplate, RouteTemplate, ServiceTemplate } from "./template.ts";

/** The most of a REST API and of an invocation ("Amazon API Gateway quotas", "Lambda quotas"). */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

/** One request, for the terminal: without query string and body. */
export interface RequestLine {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  /** Why the gateway rejected the request, if a setting could have prevented it. */
  reason?: string;
}

/** The reason why the gateway itself rejects a request: a type of gateway response. */
class GatewayError extends Error {
  readonly type: string;
  readonly fallback: number;

  constructor(type: string, fallback: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.type = type;
    this.fallback = fallback;
  }
}

/**
 * Handles a request as API Gateway does for a REST API of Lambda proxy integrations: finds the method, creates the
 * proxy event, and responds with the function's response or with a gateway response of the template.
 */
export function createGateway(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  onRequest: (line: RequestLine) => void,
): RequestListener {
  const resources = byPrecedence([...template.routes, ...template.mocks].map(({ path }) => path));
  return async (request, response) => {
    const startedAt = performance.now();
    const path = request.url?.split("?")[0] ?? "/";
    let reason: string | undefined;
    try {
      await respond(template, resources, functions, request, path, response);
    } catch (error) {
      request.resume(); // an unread body would delay the response
      answerItself(template, response, error);
      const { cause } = error as Error;
      reason = cause instanceof TooManyInvocations ? cause.message : undefined;
    }
    const milliseconds = Math.round(performance.now() - startedAt);
    const { method = "" } = request;
    onRequest({ method, path, status: response.statusCode, milliseconds, ...(reason && { reason }) });
  };
}

/** A path with fewer parameters takes precedence, whatever its methods, and one with the rest of the path comes last. */
function byPrecedence(paths: string[]): string[] {
  return [...new Set(paths)].sort(
    (a, b) => Number(a.includes("+}")) - Number(b.includes("+}")) || a.split("{").length - b.split("{").length,
  );
}

async function respond(
  template: ServiceTemplate,
  resources: string[],
  functions: Map<string, LocalFunction>,
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const prefix = `/${template.stageName}`;
  const inStage = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : "";
  const resource = resources.find((candidate) => pathParameters(candidate, inStage));
  const matches = (method: string | undefined) => (candidate: RouteTemplate | MockTemplate) =>
    candidate.method === method && candidate.path === resource;
  const mock = template.mocks.find(matches(request.method)) ?? template.mocks.find(matches("ANY"));
  if (mock) {
    answerMock(mock, request, response);
    return;
  }
  const route = template.routes.find(matches(request.method)) ?? template.routes.find(matches("ANY"));
  if (!route) {
    throw new GatewayError("MISSING_AUTHENTICATION_TOKEN", 403, "Missing Authentication Token");
  }
  const parameters = parametersOf(route.path, inStage);
  const event = proxyEvent(request, template.stageName, route, parameters, await readBody(request));
  await relay(await invoke(functions.get(route.functionId), event, route), response);
}

function answerMock(
  { statusCode, headers, body, contentTypes }: MockTemplate,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const contentType = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "application/json";
  if (!contentTypes.includes(contentType)) {
    throw new GatewayError("UNSUPPORTED_MEDIA_TYPE", 415, "Unsupported Media Type");
  }
  request.resume();
  const contentTypeOf = body === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(statusCode, { ...contentTypeOf, ...resolved(headers) }).end(body);
}

function parametersOf(template: string, path: string): Record<string, string> | null {
  try {
    return decodedParameters(template, path);
  } catch {
    throw new GatewayError("BAD_REQUEST_PARAMETERS", 400, "Bad Request");
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new GatewayError("REQUEST_TOO_LARGE", 413, "Request Too Long");
  }
  return bytes === 0 ? null : Buffer.concat(chunks).toString();
}

/** The event of a Lambda proxy integration (API Gateway Developer Guide, "Input format", payload version 1.0). */
function proxyEvent(
  request: IncomingMessage,
  stage: string,
  route: RouteTemplate,
  parameters: Record<string, string> | null,
  body: string | null,
): APIGatewayProxyEvent {
  const url = new URL(request.url ?? "/", "http://gateway");
  // Without a prototype, because a header may be named `constructor`.
  const headers: Record<string, string> = Object.create(null);
  const multiValueHeaders: Record<string, string[]> = Object.create(null);
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(index, index + 2);
    headers[name] = value;
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  const sourceIp = request.socket.remoteAddress ?? "";
  const forwarded = { "X-Forwarded-For": sourceIp, "X-Forwarded-Proto": "http" };
  const query = [...url.searchParams.keys()];
  const event = {
    resource: route.path,
    path: url.pathname.slice(stage.length + 1),
    httpMethod: request.method,
    headers: { ...headers, ...forwarded },
    multiValueHeaders,
    queryStringParameters: query.length > 0 ? Object.fromEntries(url.searchParams) : null,
    multiValueQueryStringParameters:
      query.length > 0 ? Object.fromEntries(query.map((name) => [name, url.searchParams.getAll(name)])) : null,
    pathParameters: parameters,
    stageVariables: null,
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: headers.Host ?? headers.host ?? "127.0.0.1",
      httpMethod: request.method,
      identity: { sourceIp, userAgent: request.headers["user-agent"] ?? null },
      path: url.pathname,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTimeEpoch: Date.now(),
      resourceId: route.path,
      resourcePath: route.path,
      stage,
    },
    body,
    isBase64Encoded: false,
  };
  return event as unknown as APIGatewayProxyEvent;
}

async function invoke(
  fn: LocalFunction | undefined,
  event: APIGatewayProxyEvent,
  { streams, timeoutMilliseconds }: RouteTemplate,
): Promise<FunctionResponse> {
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) {
    throw new GatewayError("REQUEST_TOO_LARGE", 413, "Request Too Long");
  }
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const message = await fn?.invoke(event, timeout).catch((error) => {
    // For the gateway, Lambda's rejection of too many concurrent invocations is a failed integration.
    throw timeout.aborted
      ? new GatewayError("INTEGRATION_TIMEOUT", 504, "Endpoint request timed out")
      : error instanceof TooManyInvocations
        ? new GatewayError("INTEGRATION_FAILURE", 504, "Internal server error", error)
        : error;
  });
  const result = message && (await readFunctionResponse(message, streams));
  if (!result) {
    throw fn
      ? new GatewayError("DEFAULT_5XX", 502, "Internal server error")
      : new GatewayError("API_CONFIGURATION_ERROR", 500, "Internal server error");
  }
  return result;
}

/** Forwards a response as it arrives. If the caller disconnects, the function's response is still read to its end. */
async function relay({ statusCode, headers, body }: FunctionResponse, response: ServerResponse): Promise<void> {
  response.writeHead(statusCode, headers);
  // Those of a stream do not wait for its first words; those of a complete response are sent together with it.
  const flush = setImmediate(() => response.flushHeaders());
  try {
    for await (const chunk of body) {
      if (chunk.length > 0 && !response.destroyed) {
        response.write(chunk);
      }
    }
    response.end();
  } catch {
    response.destroy(); // the function ended in the middle of its response, so the connection is closed too
  } finally {
    clearImmediate(flush);
  }
}

/** Responds with the gateway response of an error's type, or else of its class, as the template defines them. */
function answerItself(template: ServiceTemplate, response: ServerResponse, error: unknown): void {
  const { type, fallback, message } =
    error instanceof GatewayError ? error : new GatewayError("DEFAULT_5XX", 502, "Internal server error");
  const defaultType = fallback < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX";
  const own = template.gatewayResponses.get(type) ?? template.gatewayResponses.get(defaultType);
  const body = (own?.body ?? '{"message":$context.error.messageString}').replace(
    "$context.error.messageString",
    JSON.stringify(message),
  );
  response.writeHead(own?.statusCode ?? fallback, {
    "content-type": "application/json",
    ...resolved(own?.headers ?? {}),
  });
  response.end(body);
}

/** Replaces the variable that the template uses in headers. */
function resolved(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === "context.requestId" ? randomUUID() : value]),
  );
}
