import { config } from "../config.ts";
import { type Due, sweepAt } from "../dynamo/keys.ts";
import { describeError, logInfo, logWarning } from "../logger.ts";
import { count, seconds } from "../metrics.ts";
import { removeThread, threadsDueAt } from "../threads/thread-removal-repository.ts";
import { completeErasure } from "./erasure-repository.ts";

/** The number of earlier sweeps that a run checks: one day of sweeps, one every 10 minutes. */
const MISSED_RUNS = 144;
/** The number of sweeps whose threads are looked up in parallel. */
const PARALLEL_LOOKUPS = 16;
/**
 * The number of threads removed in parallel. Each removal waits tens of milliseconds for DynamoDB and takes 2 to 3 ms
 * of processor time, so this keeps one processor busy and stays below the 1,000 writes per second that the index
 * accepts for one sweep ("Best practices for designing and using partition keys effectively").
 */
const PARALLEL_REMOVALS = 16;
/** The time reserved to finish removals in progress. */
const RESERVE_MILLISECONDS = 10_000;

/** The number of due threads that a sweep removed, found active again, or could not remove. */
export interface SweepResult {
  removed: number;
  kept: number;
  failed: number;
  /** False if time ran out; the next run continues. */
  complete: boolean;
}

/** A thread or an erasure, with the time of the sweep at which it is due, ISO 8601. */
interface DueAt {
  due: Due;
  sweep: string;
}

/**
 * Deletes expired threads and completes interrupted erasures, by the sweep at which they are due: the current one, and
 * those of the day before, whose runs may have been missed or interrupted. Reads only what it deletes, however many
 * threads are active.
 *
 * @param remainingMilliseconds the remaining time of the invocation
 * @throws if threads could not be removed: the platform then counts the run as failed and retries it
 */
export async function sweepThreads(remainingMilliseconds: () => number): Promise<SweepResult> {
  const result: SweepResult = { removed: 0, kept: 0, failed: 0, complete: true };
  const all = threadsDue(dueSweeps(Date.now()));
  const removedFrom = new Set<string>();
  const worker = async () => {
    for await (const { due, sweep } of all) {
      if (remainingMilliseconds() <= RESERVE_MILLISECONDS) {
        result.complete = false;
        return; // this ends the generator for the other workers too
      }
      if (await removeOne(due, result)) {
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
 * Yields the threads due at these sweeps, in the order of the sweeps; all removals take from this generator. Usually
 * only the current sweep has any, so many sweeps are looked up in parallel, but the first one alone, so that an
 * unreadable index is not queried many times. At most all 90,000 ids of each tenant are in memory, 6 MB.
 */
async function* threadsDue(sweeps: string[]): AsyncGenerator<DueAt> {
  for (let start = 0, width = 1; start < sweeps.length; start += width, width = PARALLEL_LOOKUPS) {
    const lists = await Promise.all(sweeps.slice(start, start + width).map(dueAt));
    yield* lists.flat();
  }
}

async function dueAt(sweep: string): Promise<DueAt[]> {
  return (await threadsDueAt(sweep)).map((due) => ({ due, sweep }));
}

/** Returns the times of the sweeps up to `now`, oldest first. */
function dueSweeps(now: number): string[] {
  const { clock } = config;
  const interval = clock.sweepIntervalSeconds * 1000;
  const latest = Math.floor(now / interval) * interval;
  return Array.from({ length: MISSED_RUNS + 1 }, (_, ago) => sweepAt(latest - ago * interval, clock)).reverse();
}

/** Continues after a failure, so that the other threads are removed. An interrupted erasure counts as one thread. */
async function removeOne(due: Due, result: SweepResult): Promise<boolean> {
  const { tenant } = due;
  try {
    const removed =
      "erasedPatientId" in due
        ? (await completeErasure(tenant, due.erasedPatientId)) !== undefined
        : await removeThread(tenant, due.threadId, "expired");
    result[removed ? "removed" : "kept"]++;
    return removed;
  } catch (error) {
    result.failed++;
    logWarning("sweep-failure", { ...due, ...describeError(error) });
    return false;
  }
}

/**
 * Records a run's metrics. The lag is how long the oldest removed thread was overdue: normally seconds, more than an
 * interval if runs were missed, interrupted or failed.
 */
function recordSweep({ removed, failed, complete }: SweepResult, removedFrom: Set<string>): void {
  count("SweptThreads", removed);
  if (failed > 0) {
    count("SweepFailures", failed);
  }
  count("SweepCompleted", complete && failed === 0 ? 1 : 0);
  const [first] = [...removedFrom].sort();
  if (first !== undefined) {
    seconds("SweepLag", (Date.now() - Date.parse(first)) / 1000);
  }
}
