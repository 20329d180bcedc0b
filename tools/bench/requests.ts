import { buffer } from "node:stream/consumers";
import type { LambdaEnvironment } from "../../local/lambda-environment.ts";
import type { Endpoint } from "../../shared/endpoint.ts";
import { tenantNamed } from "../../shared/tenant.ts";

/** The API key of the only client in `startTestEnvironment`. */
const API_KEY = "key-of-the-client";

/** The tenant of that client. */
export const TENANT = tenantNamed("local");

/** A question and an answer of typical length. The safety screen reads the question, so it consists of words. */
export const QUESTION =
  "I have had a dull headache since yesterday evening and took two ibuprofen tablets this morning. " +
  "Can I take them together with my salbutamol inhaler, or is it a bad idea?";
export const ANSWER = "a".repeat(810);

/** The event of a Lambda proxy integration, with the headers of an ordinary caller. */
export function proxyEvent(
  { path, method }: Endpoint,
  { id, body, accept = "application/json" }: { id?: string; body?: unknown; accept?: string } = {},
) {
  const headers: Record<string, string> = {
    Accept: accept,
    "Content-Type": "application/json",
    Host: "abcdefghij.execute-api.us-east-1.amazonaws.com",
    "User-Agent": "benchmark/1.0",
    "X-API-Key": API_KEY,
  };
  return {
    resource: path,
    path: path.replace("{id}", id ?? ""),
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: id === undefined ? null : { id },
    stageVariables: null,
    requestContext: {
      domainName: headers.Host,
      path: `/v1${path}`,
      stage: "v1",
      requestId: "00000000-0000-4000-8000-000000000000",
    },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
}

/**
 * Invokes a function and reads its response, buffered or streamed, to its end.
 *
 * @returns the response, and the time in milliseconds
 * @throws Error if the function fails or returns an error
 */
export async function invoke(environment: LambdaEnvironment, event: unknown) {
  const startedAt = performance.now();
  const response = (await buffer(await environment.invoke(JSON.stringify(event), 60))).toString();
  const milliseconds = performance.now() - startedAt;
  if (!/"statusCode":20[01]\b/.test(response)) {
    throw new Error(`An invocation failed: ${response}`);
  }
  return { response, milliseconds };
}
