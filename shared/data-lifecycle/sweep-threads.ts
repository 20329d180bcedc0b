import { SWEEP_SHARDS } from "../dynamo/keys.ts";
import { describeError, logInfo, logWarning } from "../observability/logger.ts";
import { count, seconds } from "../observability/metrics.ts";
import { checkRequest } from "../threads/handoff-repository.ts";
import { removeExpired } from "../threads/thread-removal-repository.ts";
import { type DueAt, threadsDue } from "./due-threads-repository.ts";
import { completeErasure } from "./erasure-repository.ts";

/** The number of threads removed together: with ten turns each, their contents fill four batches of 25 items. */
const GROUP = 10;
/**
 * The number of groups removed in parallel. A thread takes 3 ms of processor time, and a group waits tens of
 * milliseconds for DynamoDB, so this keeps one processor busy. The client opens at most 50 connections.
 */
const PARALLEL_GROUPS = 4;
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
 * Deletes expired threads, completes interrupted erasures and checks requests for a person: all that are due, also
 * those of earlier runs that were missed or interrupted. Reads only what it deletes, however many threads are active.
 * Several runs may overlap.
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
  const groups = inGroups(shards.map((shard) => threadsDue(shard, startedAt)));
  let oldest: string | undefined;
  const worker = async () => {
    for await (const group of groups) {
      if (remainingMilliseconds() <= RESERVE_MILLISECONDS) {
        result.complete = false;
        return; // this ends the generator for the other workers too
      }
      for (const sweep of await removeGroup(group, result)) {
        oldest = oldest === undefined || sweep < oldest ? sweep : oldest;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: PARALLEL_GROUPS }, worker));
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

/** Yields the items of each list in turn, so that the writes are spread over the shards, in groups. */
async function* inGroups(lists: AsyncGenerator<DueAt, void, void>[]): AsyncGenerator<DueAt[], void, void> {
  const open = new Set(lists);
  let group: DueAt[] = [];
  while (open.size > 0) {
    for (const list of open) {
      const { value } = await list.next();
      if (value) {
        group.push(value);
      } else {
        open.delete(list);
      }
      if (group.length === GROUP || (open.size === 0 && group.length > 0)) {
        yield group;
        group = [];
      }
    }
  }
}

/**
 * Removes a group of threads, completes the erasures in it and checks its requests for a person. An erasure counts as
 * one thread, a request does not count. A failure is counted and logged, and does not end the sweep.
 *
 * @returns the sweeps at which those that were removed were due
 */
async function removeGroup(group: DueAt[], result: SweepResult): Promise<string[]> {
  const threads = removeExpired(group.map(({ due }) => due).filter((due) => "threadId" in due));
  const sweeps = await Promise.all(
    group.map(async ({ due, sweep }) => {
      const removal = "threadId" in due ? threads.shift() : undefined; // in the same order
      try {
        if ("requestedIn" in due) {
          await checkRequest(due.tenant, due.requestedIn, due.generation);
          return [];
        }
        if ("erasedPatientId" in due) {
          await completeErasure(due.tenant, due.erasedPatientId);
        }
        const removed = removal === undefined || (await removal);
        result[removed ? "removed" : "kept"]++;
        return removed ? [sweep] : [];
      } catch (error) {
        result.failed++;
        logWarning("sweep-failure", { ...due, ...describeError(error) });
        return [];
      }
    }),
  );
  return sweeps.flat();
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
