import { randomUUID } from "node:crypto";

/** Each function's operation, from the interface specification. */
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

/** Separates the metadata of a streamed response from its body ("Lambda proxy integration response streaming"). */
const DELIMITER = Buffer.alloc(8);

/** Invokes a function with an event, and returns the function's response. */
export type Invoke = (functionName: string, event: unknown) => Promise<Buffer>;

/**
 * A `fetch` that bypasses the gateway: it creates the event that the gateway would create, and invokes the operation's
 * function with it.
 *
 * @param baseUrl the base URL of the requests; nothing is sent there
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

/** Converts a function's response, buffered or streamed, to the response that the gateway would send. */
function responseOf(payload: Buffer): Response {
  const end = payload.indexOf(DELIMITER);
  const { statusCode, headers, body } = JSON.parse((end < 0 ? payload : payload.subarray(0, end)).toString());
  return new Response(end < 0 ? body : new Uint8Array(payload.subarray(end + DELIMITER.length)), {
    status: statusCode,
    headers,
  });
}
