import { config } from "../config.ts";
import { describeError, logInfo, logWarning } from "../logger.ts";
import { count, seconds } from "../metrics.ts";
import { sweepAt } from "./thread.ts";
import { removeThread, threadIdsDueAt } from "./thread-removal-repository.ts";

/** How many sweeps a run looks back, itself not counted: a day of them at one every 10 minutes. */
const MISSED_RUNS = 144;
/** Sweeps whose threads are looked up at once. */
const PARALLEL_LOOKUPS = 16;
/**
 * Threads removed at once: while they wait tens of milliseconds for DynamoDB, enough to keep one processor busy (2 to
 * 3 ms each), and too few for more than the 1,000 writes a second that the index takes for one sweep ("Best practices
 * for designing and using partition keys effectively").
 */
const PARALLEL_REMOVALS = 16;
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

/** A thread that a sweep has to look at. */
interface DueThread {
  threadId: string;
  /** The sweep that it is due at, ISO 8601. */
  sweep: string;
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
  const due = threadsDue(dueSweeps(Date.now()));
  const removedFrom = new Set<string>();
  const worker = async () => {
    for await (const { threadId, sweep } of due) {
      if (remainingMilliseconds() <= RESERVE_MILLISECONDS) {
        result.complete = false;
        return; // which ends the flow for the others too
      }
      if (await removeOne(threadId, result)) {
        removedFrom.add(sweep);
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: PARALLEL_REMOVALS }, worker));
  const unread = ends.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
  result.complete &&= !unread;
  logInfo("sweep", { ...result });
  recordSweep(result, removedFrom);
  if (unread) {
    throw unread.reason;
  }
  if (result.failed > 0) {
    throw new Error("threads could not be removed");
  }
  return result;
}

/**
 * The threads due at these sweeps, in the sweeps' order: a flow that all removals draw from. Of all sweeps but this
 * run's, nothing should be left, so many are looked up at once; the first alone, so that an index that cannot be read
 * is not asked by many. What is in memory is at most all ids there are: 90,000 of them, 6 MB.
 */
async function* threadsDue(sweeps: string[]): AsyncGenerator<DueThread> {
  for (let start = 0, width = 1; start < sweeps.length; start += width, width = PARALLEL_LOOKUPS) {
    const lists = await Promise.all(sweeps.slice(start, start + width).map(threadsDueAt));
    yield* lists.flat();
  }
}

async function threadsDueAt(sweep: string): Promise<DueThread[]> {
  return (await threadIdsDueAt(sweep)).map((threadId) => ({ threadId, sweep }));
}

/** The times of the sweeps up to `now`, the oldest first: what was missed longest is collected first. */
function dueSweeps(now: number): string[] {
  const { clock } = config;
  const interval = clock.sweepIntervalSeconds * 1000;
  const latest = Math.floor(now / interval) * interval;
  return Array.from({ length: MISSED_RUNS + 1 }, (_, ago) => sweepAt(latest - ago * interval, clock)).reverse();
}

/** One thread's failure must not keep the others. */
async function removeOne(threadId: string, result: SweepResult): Promise<boolean> {
  try {
    const removed = await removeThread(threadId, "expired");
    result[removed ? "removed" : "kept"]++;
    return removed;
  } catch (error) {
    result.failed++;
    logWarning("sweep-failure", { threadId, ...describeError(error) });
    return false;
  }
}

/**
 * Counts what a run did. Its lag is how long the thread that was due first had been due: seconds while all is well, and
 * more than an interval when runs were missed, cut short or failed.
 */
function recordSweep({ removed, failed, complete }: SweepResult, removedFrom: Set<string>): void {
  count("SweptThreads", removed);
  count("SweepFailures", failed);
  count("SweepCompleted", complete && failed === 0 ? 1 : 0);
  const [first] = [...removedFrom].sort();
  if (first !== undefined) {
    seconds("SweepLag", (Date.now() - Date.parse(first)) / 1000);
  }
}
