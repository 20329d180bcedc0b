import { type CheckResult, judge, type Version } from "./judge.ts";
import { retryThrottled } from "./retry-throttled.ts";

/**
 * Only one sweep can run at a time, and a scheduled one may be in progress for up to 9 minutes, the timeout of
 * `infra/sweep-schedule.ts`: the last of these tries is more than 10 minutes after the first.
 */
export const BUSY = { tries: 64, pauseMilliseconds: 10_000 };

/** A sweep that has not failed by then works; it may have much to remove, and continues when nobody waits for it. */
const LONG_ENOUGH_MILLISECONDS = 90_000;

/**
 * Runs the new version of the sweep once, which does the work of the next scheduled run.
 *
 * @param invoke rejects if the sweep fails, and if the signal is aborted
 * @throws the deadline's reason when it is aborted
 */
export function checkSweep(
  invoke: (version: Version, signal: AbortSignal) => Promise<unknown>,
  deadline: AbortSignal,
  { busy = BUSY, longEnoughMilliseconds = LONG_ENOUGH_MILLISECONDS } = {},
): Promise<CheckResult> {
  return judge(async (version) => {
    try {
      await retryThrottled(
        async () => {
          const longEnough = AbortSignal.timeout(longEnoughMilliseconds);
          await invoke(version, AbortSignal.any([longEnough, deadline])).catch((error) => {
            if (!longEnough.aborted) {
              throw error;
            }
          });
        },
        { ...busy, signal: deadline },
      );
      return { held: 1, broken: new Map() };
    } catch (error) {
      deadline.throwIfAborted();
      return { held: 0, broken: new Map([["a sweep succeeds", (error as Error).name]]) };
    }
  });
}
