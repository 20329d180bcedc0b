import { config } from "../config.ts";
import { describeError, logInfo, logWarning } from "../logger.ts";
import { sweepAt } from "./thread.ts";
import { removeThread, threadIdsDueAt } from "./thread-removal-repository.ts";

/** How many sweeps a run looks back, itself not counted: a day of them at one every 10 minutes. */
const MISSED_RUNS = 144;
/** Threads removed at once. */
const PARALLEL = 16;
/** What a run keeps in reserve: the time to end a removal that has begun. */
const RESERVE_MILLISECONDS = 10_000;

/** What a sweep did with the threads that were due: removed, found alive again, or could not remove. */
export interface SweepResult {
  removed: number;
  kept: number;
  failed: number;
  /** False when time ran out; the next run looks back and goes on. */
  complete: boolean;
}

/**
 * Deletes the threads that have expired, by the sweep they are due at: this one's and those of a day of runs that may
 * have been missed or cut short. Reads exactly what it collects, however many threads are alive.
 *
 * @param remainingMilliseconds what the invocation has left
 * @throws when threads could not be removed: the platform then counts the run as failed and tries it again
 */
export async function sweepThreads(remainingMilliseconds: () => number): Promise<SweepResult> {
  const result: SweepResult = { removed: 0, kept: 0, failed: 0, complete: true };
  const inTime = () => remainingMilliseconds() > RESERVE_MILLISECONDS;
  for (const sweep of dueSweeps(Date.now())) {
    for await (const threadIds of threadIdsDueAt(sweep)) {
      await inParallel(threadIds, async (threadId) => {
        if (inTime()) {
          await removeOne(threadId, result);
        } else {
          result.complete = false;
        }
      });
    }
    if (!inTime()) {
      result.complete = false;
      break;
    }
  }
  logInfo("sweep", { ...result });
  if (result.failed > 0) {
    throw new Error("threads could not be removed");
  }
  return result;
}

/** The times of the sweeps up to `now`, the oldest first: what was missed longest is collected first. */
function dueSweeps(now: number): string[] {
  const { clock } = config;
  const interval = clock.sweepIntervalSeconds * 1000;
  const latest = Math.floor(now / interval) * interval;
  return Array.from({ length: MISSED_RUNS + 1 }, (_, ago) => sweepAt(latest - ago * interval, clock)).reverse();
}

/** One thread's failure must not keep the others. */
async function removeOne(threadId: string, result: SweepResult): Promise<void> {
  try {
    if (await removeThread(threadId, "expired")) {
      result.removed++;
    } else {
      result.kept++;
    }
  } catch (error) {
    result.failed++;
    logWarning("sweep-failure", { threadId, ...describeError(error) });
  }
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
