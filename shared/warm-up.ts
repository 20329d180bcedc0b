/**
 * Does during a function's initialization what its first request would wait for: reading secrets, opening connections,
 * running the database's code once. Lambda gives more CPU then than a small function has later ("Understanding the
 * Lambda execution environment lifecycle").
 *
 * Failures are swallowed: what is wrong is met again by the request, which can answer and log it.
 */
export async function warmUp(...tasks: (() => Promise<unknown>)[]): Promise<void> {
  await Promise.allSettled(tasks.map(async (task) => task()));
}

/** An id that nothing has; looking for it opens the connection and costs half a read unit. */
export const NO_ID = "warm-up";
