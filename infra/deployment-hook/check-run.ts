import { SWEEP_SECONDS } from "../sweep-times.ts";
import { type CheckResult, judge, type Version } from "./judge.ts";
import { retryThrottled } from "./retry-throttled.ts";

const PAUSE_SECONDS = 10;

/**
 * As many sweeps can run at a time as a sweep has parts, and the scheduled ones may be in progress for as long as their
 * time limit: the last of these tries is 90 seconds later than that after the first.
 */
export const BUSY = {
  tries: Math.ceil((SWEEP_SECONDS + 90) / PAUSE_SECONDS) + 1,
  pauseMilliseconds: PAUSE_SECONDS * 1_000,
};

/** A sweep that has not failed by then works; it may have much to remove, and continues when nobody waits for it. */
const LONG_ENOUGH_MILLISECONDS = 90_000;

/**
 * Runs the new version of a function without callers once: the sweep, which does the work of its next scheduled run, or
 * the delivery, which only proves that it can do its work.
 *
 * @param rule what is checked, such as `a sweep succeeds`
 * @param invoke rejects if the run fails, and if the signal is aborted
 * @throws the deadline's reason when it is aborted
 */
export function checkRun(
  rule: string,
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
      return { held: 0, broken: new Map([[rule, (error as Error).name]]) };
    }
  });
}
