import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { SweepPart } from "../../shared/data-lifecycle/sweep-threads.ts";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { threadPartition } from "../../shared/dynamo/keys.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { TENANT } from "../helpers/caller.ts";
import { newThread, retryWithoutWaiting, stopClockAt, turn, turnItems } from "../helpers/database/database.ts";
import type { Call, Fault } from "../helpers/database/fault-proxy.ts";
import { after, requestLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { captureMetrics } from "../helpers/service/metrics.ts";

const MINUTE = 60_000;
const PLENTY = () => 9 * MINUTE;

const storage = setUpStorage();

const START = Date.parse("2030-01-01T00:00:00Z");
const at = (minutes: number) => START + minutes * MINUTE;
let summaries: jest.SpiedFunction<typeof globalThis.console.info>;
let warnings: jest.SpiedFunction<typeof globalThis.console.warn>;
beforeEach(async () => {
  await storage.clear();
  summaries = jest.spyOn(console, "info").mockReturnValue();
  warnings = jest.spyOn(console, "warn").mockReturnValue();
});

/** Stores threads with a time of last activity, in minutes, and this many turns each. */
async function storeThreads(amount: number, minutes: number, turns = 1): Promise<Thread[]> {
  stopClockAt(at(minutes));
  const created = Array.from({ length: amount }, () => ({ ...newThread(), messageCount: 2 * turns }));
  for (const thread of created) {
    expect(await storage.threads.insertThread(TENANT, thread, undefined)).toEqual({ kind: "inserted" });
    await storage.seed(...turnItems(thread, turns));
  }
  return created;
}

function sweepAt(minutes: number, remaining = PLENTY, part?: SweepPart) {
  stopClockAt(at(minutes));
  return sweepThreads(remaining, part);
}

const NOTHING = { removed: 0, kept: 0, failed: 0, complete: true };

/** The metrics recorded since the last call of `captureMetrics`, by name. */
const byName = (written: { name: string; value: unknown }[]) =>
  Object.fromEntries(written.map(({ name, value }) => [name, value]));

/** The number of items left of each thread. */
async function itemsOf(some: Thread[]): Promise<number[]> {
  return Promise.all(some.map(async ({ threadId }) => (await storage.threadItems(threadId)).length));
}

describe("a sweep", () => {
  test("deletes expired threads of any length and nothing else", async () => {
    const expired = [
      ...(await storeThreads(3, 1)),
      ...(await storeThreads(1, 2, 0)),
      ...(await storeThreads(1, 3, 130)),
    ];
    const alive = [...(await storeThreads(3, 11)), ...(await storeThreads(1, 39, 130))];
    const sweep = new Date(at(40)).toISOString();
    expect(await storage.sweepKeys(sweep)).toHaveLength(5);
    expect(await sweepAt(41)).toEqual({ ...NOTHING, removed: 5 }); // it may run late
    expect(await itemsOf(expired)).toEqual([0, 0, 0, 0, 0]);
    expect(await itemsOf(alive)).toEqual([2, 2, 2, 131]);
    expect(await storage.sweepKeys(sweep)).toEqual([]);
  });

  test("deletes a thread that expires exactly at the time of the sweep, but not one that expires a millisecond later", async () => {
    const [exactly, younger] = [await storeThreads(1, 10), await storeThreads(1, 10 + 1 / MINUTE)];
    expect(await sweepAt(40)).toMatchObject({ removed: 1, kept: 0 });
    expect(await itemsOf([...exactly, ...younger])).toEqual([0, 2]);
  });

  test("finds threads that became due at a time of another interval", async () => {
    const [thread] = (await storeThreads(1, 1)) as [Thread];
    await storage.seed({ ...(await storage.threadItem(thread)), sweepAt: new Date(at(33) + 7_000).toISOString() });
    expect(await sweepAt(40)).toMatchObject({ removed: 1 });
    expect(await itemsOf([thread])).toEqual([0]);
  });

  test("makes up for all missed runs", async () => {
    const due = [...(await storeThreads(1, 0)), ...(await storeThreads(1, 700)), ...(await storeThreads(1, 14_401))];
    expect(await sweepAt(30 + 10 * 24 * 60)).toMatchObject({ removed: 2, kept: 0 });
    expect(await itemsOf(due)).toEqual([0, 0, 2]);
  });

  test("counts the removed threads, and how long the oldest of them was overdue", async () => {
    await storeThreads(2, 1);
    await storeThreads(1, 15);
    const written = captureMetrics();
    await sweepAt(50.5);
    expect(byName(written())).toEqual({ SweptThreads: 3, SweepCompleted: 1, SweepLag: 630 });
  });

  test("deletes each thread once when it runs twice in parallel", async () => {
    const due = await storeThreads(20, 1);
    let [deletions, repeated] = [0, 0];
    const counted: Fault = async ({ forward, attempt }) => {
      const answer = await forward();
      deletions += Number(answer.status === 200);
      repeated += Number(attempt > 1);
      return answer;
    };
    storage.faults.fail("TransactWriteItems", counted, Number.POSITIVE_INFINITY);
    const results = await Promise.all([sweepAt(40), sweepAt(40)]);
    expect(deletions).toBe(20);
    const removed = results[0].removed + results[1].removed;
    expect(removed).toBeGreaterThanOrEqual(20);
    // A sweep whose client had to repeat a call, on a busy machine, cannot know whether its first attempt succeeded.
    expect(removed).toBeLessThanOrEqual(20 + repeated);
    expect(results).toMatchObject([{ failed: 0 }, { failed: 0 }]);
    expect(new Set(await itemsOf(due))).toEqual(new Set([0]));
  });

  test("deletes each thread in exactly one of its parts, from as many pages of the index as it takes", async () => {
    const due = await storeThreads(40, 1);
    const lists = ({ body }: Call) => body.IndexName;
    storage.faults.fail(lists, ({ body, forward }) => forward({ ...body, Limit: 1 }), Number.POSITIVE_INFINITY);
    const parts = await Promise.all([0, 1, 2].map((part) => sweepAt(40, PLENTY, { part, parts: 3 })));
    expect(parts.map(({ kept, failed }) => kept + failed)).toEqual([0, 0, 0]);
    expect(parts.reduce((sum, { removed }) => sum + removed, 0)).toBe(40);
    expect(new Set(await itemsOf(due))).toEqual(new Set([0]));
    expect(summaries.mock.calls.map(([line]) => line.part).sort()).toEqual([0, 1, 2]);
  });
});

describe("a message that arrives between a sweep's read of the index and its deletion", () => {
  test.each([
    ["Query", 1],
    ["UpdateItem", 1],
    ["UpdateItem", 100],
  ])("(before the deletion's %s) keeps a thread of %i turns", async (operation, turns) => {
    const [thread] = (await storeThreads(1, 1, turns)) as [Thread];
    // The message is in time, but the sweep's clock, on another machine, disagrees.
    const message = after(async () => {
      stopClockAt(at(30));
      expect(await storage.commit(thread, turn(turns))).toBeDefined();
      stopClockAt(at(40));
    });
    const ofThread = (call: Call) =>
      call.operation === operation && (operation !== "Query" || call.body.IndexName === undefined);
    storage.faults.fail(ofThread, message);
    const written = captureMetrics();
    expect(await sweepAt(40)).toEqual({ ...NOTHING, kept: 1 });
    expect(byName(written())).toEqual({ SweptThreads: 0, SweepCompleted: 1 }); // and no lag
    expect(await itemsOf([thread])).toEqual([turns + 2]);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ messageCount: 2 * turns + 2 });

    expect(await sweepAt(60)).toMatchObject({ removed: 1 });
    expect(await itemsOf([thread])).toEqual([0]);
  });
});

describe("a sweep that runs out of time", () => {
  test("starts no removal with less than 10 s left and reports this", async () => {
    const due = await storeThreads(3, 1);
    const written = captureMetrics();
    expect(await sweepAt(40, () => 10_000)).toEqual({ ...NOTHING, complete: false });
    expect(byName(written())).toEqual({ SweptThreads: 0, SweepCompleted: 0 });
    expect(await itemsOf(due)).toEqual([2, 2, 2]);
  });

  test("stops, and the next one continues", async () => {
    const due = await storeThreads(40, 1);
    storage.faults.reset();
    const first = await sweepAt(40, () => (storage.faults.calls("UpdateItem") < 10 ? 60_000 : 9_000));
    expect(first.complete).toBe(false);
    expect(first.removed).toBeGreaterThan(0);
    const left = (await itemsOf(due)).filter((items) => items > 0);
    expect(left).toHaveLength(40 - first.removed);
    expect(await sweepAt(50)).toEqual({ ...NOTHING, removed: left.length });
    expect(new Set(await itemsOf(due))).toEqual(new Set([0]));
  });
});

describe("a sweep with a failing database", () => {
  beforeEach(retryWithoutWaiting);

  test("deletes the other threads and then fails if one cannot be deleted; the next sweep deletes that one", async () => {
    const due = await storeThreads(20, 1);
    const stuck = due[7] as Thread;
    const touchesStuck = ({ body }: Call) => body.Key?.pk.S === threadPartition(TENANT, stuck.threadId);
    storage.faults.fail(touchesStuck, requestLost, Number.POSITIVE_INFINITY);
    const written = captureMetrics();
    await expect(sweepAt(40)).rejects.toThrow("could not be removed");
    expect(byName(written())).toEqual({ SweptThreads: 19, SweepFailures: 1, SweepCompleted: 0, SweepLag: 0 });
    expect(await itemsOf(due)).toEqual(due.map((thread) => (thread === stuck ? 2 : 0)));
    expect(summaries.mock.calls).toEqual([[{ event: "sweep", removed: 19, kept: 0, failed: 1, complete: true }]]);
    expect(warnings.mock.calls).toMatchObject([
      [{ event: "sweep-failure", tenant: TENANT, threadId: stuck.threadId, errorName: expect.any(String) }],
    ]);
    storage.faults.reset();
    expect(await sweepAt(50)).toEqual({ ...NOTHING, removed: 1 });
  });

  test("fails if its index cannot be read and deletes nothing that it has not read", async () => {
    const due = await storeThreads(2, 1);
    storage.faults.reset();
    storage.faults.fail("Query", requestLost, Number.POSITIVE_INFINITY);
    const written = captureMetrics();
    await expect(sweepAt(40)).rejects.toThrow();
    expect(byName(written())).toEqual({ SweptThreads: 0, SweepCompleted: 0 });
    expect(storage.faults.calls()).toBe(3); // of one shard
    expect(await itemsOf(due)).toEqual([2, 2]);
  });
});
