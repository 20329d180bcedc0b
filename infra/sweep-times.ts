import { SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";

// The bundled deployment hook needs these times too, so this file does not import the CDK.

/** The time limit of the deployment hook: Lambda's maximum ("Lambda quotas"). */
export const HOOK_SECONDS = 15 * 60;

/** What the hook needs besides waiting for a scheduled sweep: both versions' runs, and its report. */
const CHECK_SECONDS = 5 * 60;

/**
 * The time limit of a sweep. It is shorter than the interval, so that a run ends before the next one begins, and no
 * longer than the hook can wait for.
 */
export const SWEEP_SECONDS = Math.min(0.9 * SWEEP_INTERVAL_SECONDS, HOOK_SECONDS - CHECK_SECONDS);

/**
 * The minutes of a sweep's schedule, such as `0/10`: the times that the attribute `sweepAt` can have.
 *
 * @throws Error if they are not the same in every hour
 */
export function sweepMinutes(): string {
  const minutes = SWEEP_INTERVAL_SECONDS / 60;
  if (!Number.isInteger(minutes) || minutes > 30 || 60 % minutes !== 0) {
    throw new Error(
      `SWEEP_INTERVAL_SECONDS is ${SWEEP_INTERVAL_SECONDS}; it must be minutes of which an hour is a multiple.`,
    );
  }
  return `0/${minutes}`;
}
