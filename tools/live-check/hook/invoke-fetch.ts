import { randomUUID } from "node:crypto";

/** The operations by the function that serves each, as the interface specification has them. */
export const ROUTES: Record<string, [method: string, path: string]> = {
  chat: ["POST", "/chat"],
  "create-thread": ["POST", "/threads"],
  "get-thread": ["GET", "/threads/{id}"],
  "delete-thread": ["DELETE", "/threads/{id}"],
  "create-patient": ["POST", "/patients"],
  "get-patient": ["GET", "/patients/{id}"],
  "list-messages": ["GET", "/threads/{id}/messages"],
  "update-patient": ["PATCH", "/patients/{id}"],
  "delete-patient": ["DELETE", "/patients/{id}"],
  "search-patients": ["POST", "/patients/search"],
  "list-patient-threads": ["GET", "/patients/{id}/threads"],
  "export-patient": ["GET", "/patients/{id}/export"],
};

/** Between a streamed response's metadata and its body ("Lambda proxy integration response streaming"). */
const DELIMITER = Buffer.alloc(8);

/** Invokes the function of a name with an event, and returns what it answered. */
export type Invoke = (functionName: string, event: unknown) => Promise<Buffer>;

/**
 * A `fetch` that goes past the gateway: it makes the event that the gateway would, and has the operation's function
 * invoked with it.
 *
 * @param baseUrl the address that requests are sent to; nothing is there
 */
export function invokeFetch(baseUrl: string, invoke: Invoke): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const path = url.pathname.slice(new URL(baseUrl).pathname.length);
    const method = init.method ?? "GET";
    const [functionName, resource] = routeOf(method, path);
    const payload = await invoke(functionName, proxyEvent(method, resource, path, url.searchParams, init));
    return responseOf(payload);
  };
}

function routeOf(method: string, path: string): [functionName: string, resource: string] {
  for (const [name, [routeMethod, resource]] of Object.entries(ROUTES)) {
    if (routeMethod === method && new RegExp(`^${resource.replace("{id}", "[^/]+")}$`).test(path)) {
      return [name, resource];
    }
  }
  throw new Error("no function serves this operation");
}

function proxyEvent(method: string, resource: string, path: string, query: URLSearchParams, init: RequestInit) {
  const headers = Object.fromEntries(new Headers(init.headers));
  const parameters = Object.fromEntries(query);
  const many = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
  return {
    resource,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: many(headers),
    queryStringParameters: query.size > 0 ? parameters : null,
    multiValueQueryStringParameters: query.size > 0 ? many(parameters) : null,
    pathParameters: resource.includes("{id}") ? { id: decodeURIComponent(path.split("/")[2] ?? "") } : null,
    stageVariables: null,
    requestContext: { requestId: randomUUID(), httpMethod: method, resourcePath: resource, stage: "v1", identity: {} },
    body: init.body ?? null,
    isBase64Encoded: false,
  };
}

/** What a function answered, buffered or streamed, as the response that the gateway would make of it. */
function responseOf(payload: Buffer): Response {
  const end = payload.indexOf(DELIMITER);
  const { statusCode, headers, body } = JSON.parse((end < 0 ? payload : payload.subarray(0, end)).toString());
  return new Response(end < 0 ? body : new Uint8Array(payload.subarray(end + DELIMITER.length)), {
    status: statusCode,
    headers,
  });
}
