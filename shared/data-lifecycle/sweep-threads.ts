import { type Due, SWEEP_SHARDS } from "../dynamo/keys.ts";
import { describeError, logInfo, logWarning } from "../logger.ts";
import { count, seconds } from "../metrics.ts";
import { removeThread } from "../threads/thread-removal-repository.ts";
import { type DueAt, threadsDue } from "./due-threads-repository.ts";
import { completeErasure } from "./erasure-repository.ts";

/**
 * The number of threads removed in parallel. A removal waits tens of milliseconds for DynamoDB in four calls and takes
 * 4 to 5 ms of processor time, so this keeps one processor busy.
 */
const PARALLEL_REMOVALS = 24;
/** The time reserved to finish removals in progress. */
const RESERVE_MILLISECONDS = 10_000;

/**
 * The part of the shards that a run sweeps: every `parts`-th one, from `part` on. The schedule starts one run for each
 * part. A run without a part, such as one started by hand, sweeps all of them.
 */
export interface SweepPart {
  part?: number;
  parts?: number;
}

/** The number of due threads that a sweep removed, found active again, or could not remove. */
export interface SweepResult {
  removed: number;
  kept: number;
  failed: number;
  /** False if time ran out; the next run continues. */
  complete: boolean;
}

/**
 * Deletes expired threads and completes interrupted erasures: all that are due, also those of earlier runs that were
 * missed or interrupted. Reads only what it deletes, however many threads are active. Several runs may overlap.
 *
 * @param remainingMilliseconds the remaining time of the invocation
 * @throws if threads could not be removed: the platform then counts the run as failed and retries it
 */
export async function sweepThreads(
  remainingMilliseconds: () => number,
  { part = 0, parts = 1 }: SweepPart = {},
): Promise<SweepResult> {
  const result: SweepResult = { removed: 0, kept: 0, failed: 0, complete: true };
  const startedAt = Date.now();
  const shards = Array.from({ length: SWEEP_SHARDS }, (_, shard) => shard).filter((shard) => shard % parts === part);
  const all = inTurn(shards.map((shard) => threadsDue(shard, startedAt)));
  let oldest: string | undefined;
  const worker = async () => {
    for await (const { due, sweep } of all) {
      if (remainingMilliseconds() <= RESERVE_MILLISECONDS) {
        result.complete = false;
        return; // this ends the generator for the other workers too
      }
      if ((await removeOne(due, result)) && (oldest === undefined || sweep < oldest)) {
        oldest = sweep;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: PARALLEL_REMOVALS }, worker));
  const unread = ends.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
  result.complete &&= !unread;
  logInfo("sweep", { ...(parts > 1 && { part }), ...result });
  recordSweep(result, oldest);
  if (unread) {
    throw unread.reason;
  }
  if (result.failed > 0) {
    throw new Error("threads could not be removed");
  }
  return result;
}

/** Yields the items of each list in turn, so that the writes are spread over the shards. */
async function* inTurn(lists: AsyncGenerator<DueAt, void, void>[]): AsyncGenerator<DueAt, void, void> {
  const open = new Set(lists);
  while (open.size > 0) {
    for (const list of open) {
      const { value } = await list.next();
      if (value) {
        yield value;
      } else {
        open.delete(list);
      }
    }
  }
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
function recordSweep({ removed, failed, complete }: SweepResult, oldest: string | undefined): void {
  count("SweptThreads", removed);
  if (failed > 0) {
    count("SweepFailures", failed);
  }
  count("SweepCompleted", complete && failed === 0 ? 1 : 0);
  if (oldest !== undefined) {
    seconds("SweepLag", (Date.now() - Date.parse(oldest)) / 1000);
  }
}
