import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { type FunctionResponse, readFunctionResponse } from "./function-response.ts";
import { type LocalFunction, TooManyInvocations } from "./lambda-function.ts";
import type { RouteTemplate, ServiceTemplate } from "./template.ts";

/** Payload of a REST API, and of a synchronous Lambda invocation ("Amazon API Gateway quotas", "Lambda quotas"). */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

/** One request, for the log: no query string, no body. */
export interface RequestLine {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
}

/** What the gateway itself refuses a request with: a type of gateway response. */
class GatewayError extends Error {
  readonly type: string;
  readonly fallback: number;

  constructor(type: string, fallback: number, message: string) {
    super(message);
    this.type = type;
    this.fallback = fallback;
  }
}

/**
 * Does with a request what API Gateway does with a REST API of Lambda proxy integrations: it finds the method, makes the
 * proxy event, and answers what the function said, or with a gateway response of the template.
 */
export function createGateway(
  template: ServiceTemplate,
  functions: Map<string, LocalFunction>,
  onRequest: (line: RequestLine) => void,
): RequestListener {
  return async (request, response) => {
    const startedAt = performance.now();
    const path = request.url?.split("?")[0] ?? "/";
    try {
      const { route, pathParameters } = findRoute(template, request.method ?? "GET", path);
      const body = await readBody(request);
      const event = proxyEvent(request, template.stageName, route, pathParameters, body);
      await relay(await invoke(functions.get(route.functionId), event, route), response);
    } catch (error) {
      request.resume(); // a body that nobody read would hold up the answer
      answerItself(template, response, error);
    }
    const milliseconds = Math.round(performance.now() - startedAt);
    onRequest({ method: request.method ?? "", path, status: response.statusCode, milliseconds });
  };
}

function findRoute(template: ServiceTemplate, method: string, path: string) {
  const [, stage, ...segments] = path.split("/");
  if (stage === template.stageName) {
    for (const route of template.routes) {
      const pattern = route.path.split("/").slice(1);
      const fits = pattern.every((part, index) => (part.startsWith("{") ? segments[index] : part === segments[index]));
      if (route.method === method && pattern.length === segments.length && fits) {
        return { route, pathParameters: parametersOf(pattern, segments) };
      }
    }
  }
  throw new GatewayError("MISSING_AUTHENTICATION_TOKEN", 403, "Missing Authentication Token");
}

function parametersOf(pattern: string[], segments: string[]): Record<string, string> | null {
  const entries = pattern.flatMap((part, index) =>
    part.startsWith("{") ? [[part.slice(1, -1), decode(segments[index] ?? "")]] : [],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
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
  pathParameters: Record<string, string> | null,
  body: string | null,
): APIGatewayProxyEvent {
  const url = new URL(request.url ?? "/", "http://gateway");
  const headers: Record<string, string> = {};
  const multiValueHeaders: Record<string, string[]> = {};
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
    httpMethod: route.method,
    headers: { ...headers, ...forwarded },
    multiValueHeaders,
    queryStringParameters:
      query.length > 0 ? Object.fromEntries(query.map((name) => [name, url.searchParams.getAll(name).at(-1)])) : null,
    multiValueQueryStringParameters:
      query.length > 0 ? Object.fromEntries(query.map((name) => [name, url.searchParams.getAll(name)])) : null,
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: headers.Host ?? headers.host ?? "127.0.0.1",
      httpMethod: route.method,
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
  route: RouteTemplate,
): Promise<FunctionResponse> {
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) {
    throw new GatewayError("REQUEST_TOO_LARGE", 413, "Request Too Long");
  }
  const answer = answerOf(fn, event, route.streams);
  const result = await (route.streams ? answer : withinTime(answer, route.timeoutMilliseconds));
  if (!result) {
    throw new GatewayError("API_CONFIGURATION_ERROR", 500, "Internal server error");
  }
  return result;
}

/** Lambda's refusal of too many invocations at once is a 500 of the gateway's, as a failed function is. */
async function answerOf(
  fn: LocalFunction | undefined,
  event: APIGatewayProxyEvent,
  streams: boolean,
): Promise<FunctionResponse | undefined> {
  try {
    const message = await fn?.invoke(event);
    return message && (await readFunctionResponse(message, streams));
  } catch (error) {
    throw error instanceof TooManyInvocations
      ? new GatewayError("API_CONFIGURATION_ERROR", 500, "Internal server error")
      : error;
  }
}

/** A buffered integration's answer, or the gateway's own when the time is up; the function goes on without a caller. */
async function withinTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const time = new AbortController();
  const timeout = setTimeout(milliseconds, undefined, { signal: time.signal }).then(
    () => {
      throw new GatewayError("INTEGRATION_TIMEOUT", 504, "Endpoint request timed out");
    },
    () => answer,
  );
  answer.catch(() => {}); // after the time is up, nobody is there to be told
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    time.abort();
  }
}

/** Passes a response on as it arrives. A caller that hangs up changes nothing for the function: it is read to its end. */
async function relay({ statusCode, headers, body }: FunctionResponse, response: ServerResponse): Promise<void> {
  response.writeHead(statusCode, headers);
  response.flushHeaders();
  try {
    for await (const chunk of body) {
      if (chunk.length > 0 && !response.destroyed) {
        response.write(chunk);
      }
    }
    response.end();
  } catch {
    response.destroy(); // the function ended in mid-answer, and so does the connection
  }
}

/** Answers with the gateway response of an error's type, or else of its class, as the template defines them. */
function answerItself(template: ServiceTemplate, response: ServerResponse, error: unknown): void {
  const { type, fallback, message } =
    error instanceof GatewayError ? error : new GatewayError("INTEGRATION_FAILURE", 504, "Internal server error");
  const defaultType = fallback < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX";
  const own = template.gatewayResponses.get(type) ?? template.gatewayResponses.get(defaultType);
  const body = (own?.body ?? '{"message":$context.error.messageString}').replace(
    "$context.error.messageString",
    JSON.stringify(message),
  );
  const headers = Object.entries(own?.headers ?? {}).map(([name, value]) => [
    name,
    value === "context.requestId" ? randomUUID() : value,
  ]);
  response.writeHead(own?.statusCode ?? fallback, {
    "content-type": "application/json",
    ...Object.fromEntries(headers),
  });
  response.end(body);
}
