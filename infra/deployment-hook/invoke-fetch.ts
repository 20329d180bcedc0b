import { randomUUID } from "node:crypto";
import { decodedParameters, pathParameters } from "../../packages/lambda-local/path-parameters.ts";
import { type Endpoint, functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints } from "../../shared/openapi/registry.ts";

/** The operations that functions serve. The hook does not check the public pages. */
const ROUTES = endpoints.filter((endpoint) => !endpoint.public);

/** The operations that a function serves. */
export function routesOf(functionName: string): Endpoint[] {
  return ROUTES.filter((endpoint) => functionOf(endpoint) === functionName);
}

/** Separates the metadata of a streamed response from its body ("Lambda proxy integration response streaming"). */
const DELIMITER = Buffer.alloc(8);

/**
 * A `fetch` that bypasses the gateway: it creates the event that the gateway would create, and invokes the operation's
 * function with it.
 *
 * @param baseUrl the base URL of the requests; nothing is sent there
 */
export function invokeFetch(
  baseUrl: string,
  invoke: (functionName: string, event: unknown, signal?: AbortSignal) => Promise<Buffer>,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const path = url.pathname.slice(new URL(baseUrl).pathname.length);
    const method = init.method ?? "GET";
    const route = routeFor(method, path);
    const event = proxyEvent(method, route.path, path, url.searchParams, init);
    const payload = await invoke(functionOf(route), event, init.signal ?? undefined);
    return responseOf(payload);
  };
}

function routeFor(method: string, path: string): Endpoint {
  const route = ROUTES.find((candidate) => candidate.method === method && pathParameters(candidate.path, path));
  if (!route) {
    throw new Error("no function serves this operation");
  }
  return route;
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
    pathParameters: decodedParameters(resource, path),
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
