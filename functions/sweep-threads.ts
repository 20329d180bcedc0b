import type { Context } from "aws-lambda";
import { type SweepResult, sweepThreads } from "../shared/threads/sweep-threads.ts";

/** Run by the schedule; its event holds nothing that matters. */
export const handler = (_event: unknown, context: Context): Promise<SweepResult> =>
  sweepThreads(() => context.getRemainingTimeInMillis());
