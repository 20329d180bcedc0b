import type { Context } from "aws-lambda";
import { type SweepPart, type SweepResult, sweepThreads } from "../shared/data-lifecycle/sweep-threads.ts";

/** Run by the schedule, once for each part. */
export const handler = (part: SweepPart | null, context: Context): Promise<SweepResult> =>
  sweepThreads(() => context.getRemainingTimeInMillis(), part ?? {});
