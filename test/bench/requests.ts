import { buffer } from "node:stream/consumers";
import { invokeFetch } from "../../infra/deployment-hook/invoke-fetch.ts";
import type { LambdaEnvironment } from "../../packages/lambda-local/lambda-environment.ts";
import { tenantNamed } from "../../shared/tenant.ts";

/** The API key of the only client in `startTestEnvironment`. */
const API_KEY = "key-of-the-client";
const BASE_URL = "http://127.0.0.1/v1";

/** The tenant of that client. */
export const TENANT = tenantNamed("local");

/**
 * A question of typical length. The safety screen reads it, so it consists of words, and suspects nothing in it, as in
 * most messages: a suspicion costs a second request to the model, for its verdict.
 */
export const QUESTION =
  "Which vitamins do I need in winter if I eat little meat and work indoors all day, and is it better to take them " +
  "in the morning or in the evening together with a meal?";

/**
 * Invokes a function with a request, as the gateway would, and reads its response, buffered or streamed, to its end.
 *
 * @returns the body of the response, and the time of the invocation in milliseconds
 * @throws Error if the function fails or returns an error
 */
export async function send(
  environment: LambdaEnvironment,
  {
    method,
    path,
    body,
    accept = "application/json",
  }: { method: string; path: string; body?: unknown; accept?: string },
): Promise<{ response: string; milliseconds: number }> {
  let milliseconds = 0;
  const fetch = invokeFetch(BASE_URL, async (_, event) => {
    const startedAt = performance.now();
    const payload = await buffer(await environment.invoke(JSON.stringify(event), 60));
    milliseconds = performance.now() - startedAt;
    return payload;
  });
  const headers = { Accept: accept, "Content-Type": "application/json", "X-API-Key": API_KEY };
  const answer = await fetch(`${BASE_URL}${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  } as RequestInit);
  const response = await answer.text();
  if (!answer.ok) {
    throw new Error(`An invocation failed: ${response}`);
  }
  return { response, milliseconds };
}
