import type { Context } from "aws-lambda";
import { type SweepResult, sweepThreads } from "../shared/data-lifecycle/sweep-threads.ts";

/** Run by the schedule; the event's contents are not used. */
export const handler = (_event: unknown, context: Context): Promise<SweepResult> =>
  sweepThreads(() => context.getRemainingTimeInMillis());
