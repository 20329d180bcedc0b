import { setTimeout } from "node:timers/promises";
import { TooManyRequestsException } from "@aws-sdk/client-lambda";

/**
 * Repeats an invocation that Lambda rejects because a concurrency limit is reached: that of the function, which other
 * checks and callers use at the same time, or that of the account.
 *
 * @param pauseMilliseconds the time between two tries
 * @throws TooManyRequestsException if the last try was rejected too; whatever else `invoke` rejects with; the signal's
 *   reason, if it is aborted between two tries
 */
export async function retryThrottled<T>(
  invoke: () => Promise<T>,
  { tries, pauseMilliseconds, signal }: { tries: number; pauseMilliseconds: number; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      signal?.throwIfAborted();
      return await invoke();
    } catch (error) {
      if (!(error instanceof TooManyRequestsException) || left === 0) {
        throw error;
      }
      await setTimeout(pauseMilliseconds);
    }
  }
}
