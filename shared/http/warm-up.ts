import { loadApiKeys } from "../auth/api-keys.ts";
import { surviveStrayErrors } from "../observability/stray-errors.ts";

/**
 * Runs tasks during a function's initialization that the first request would otherwise wait for: reading the API keys,
 * opening connections, running the code of the database and the safety screen once. During initialization, Lambda
 * provides more CPU than a small function gets later ("Understanding the Lambda execution environment lifecycle").
 *
 * From then on, an error that nobody handles does not end the process.
 *
 * Failures of the tasks are ignored, because the first request has the same failure and can report and log it.
 *
 * @param tasks what the function needs besides the API keys
 */
export async function warmUp(...tasks: (() => Promise<unknown>)[]): Promise<void> {
  surviveStrayErrors();
  await Promise.allSettled([loadApiKeys, ...tasks].map(async (task) => task()));
}

/** An id that does not exist. Reading it opens the connection and costs half a read unit. */
export const NO_ID = "warm-up";
