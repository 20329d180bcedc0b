import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Thread } from "../../shared/threads/thread.ts";
import { TENANT } from "../helpers/caller.ts";
import { newThread, retryWithoutWaiting, stopClockAt, turn, turnItems } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import { after, conflict, requestLost, responseLost, unprocessed } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

/** Asserts that the thread exists for no caller but its id is still taken. */
async function expectHidden(thread: Thread): Promise<void> {
  expect(await storage.threads.readThread(TENANT, thread.threadId)).toBeUndefined();
  expect(await storage.threads.readConversation(TENANT, thread.threadId)).toBeUndefined();
  expect(await storage.commit(thread, turn(0))).toBeUndefined();
  expect(await storage.threads.insertThread(TENANT, { ...newThread(), threadId: thread.threadId }, undefined)).toEqual({
    kind: "id-taken",
  });
}

describe("deleting a thread", () => {
  test.each([0, 1, 99, 100, 150])("of %i turns leaves nothing behind and succeeds once", async (count) => {
    const thread = await storage.storeThread(count);
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
    expect(await storage.remove(thread)).toBe(false);
  });

  test("of 99 turns takes one transaction", async () => {
    const thread = await storage.storeThread(99);
    storage.faults.reset();
    await storage.remove(thread);
    expect(storage.faults.calls("TransactWriteItems")).toBe(1);
    expect(storage.faults.calls()).toBe(2); // one query before it
  });

  test("whose messages take more than one page of a query leaves nothing behind", async () => {
    const thread = await storage.storeThread(30, "x".repeat(100_000));
    storage.faults.reset();
    expect(await storage.remove(thread)).toBe(true);
    expect(storage.faults.calls("Query")).toBeGreaterThan(1);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("hides a long one from every caller before the first turn is deleted", async () => {
    const thread = await storage.storeThread(101);
    let reads = 0;
    const read = after(async () => {
      await expectHidden(thread);
      reads++;
    });
    storage.faults.fail("BatchWriteItem", read, Number.POSITIVE_INFINITY);
    expect(await storage.remove(thread)).toBe(true);
    expect(reads).toBe(5);
  });

  test("does not delete an expired thread, which no longer exists for callers", async () => {
    const thread = await storage.storeThread(1);
    stopClockAt(thread.expiresAt);
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.threadItems(thread.threadId)).toHaveLength(2);
  });

  test.each([0, 3, 100])("of %i turns, requested twice in parallel, succeeds once", async (count) => {
    const thread = await storage.storeThread(count);
    const removed = await Promise.all([storage.remove(thread), storage.remove(thread), storage.remove(thread)]);
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect((await storage.threadItems(thread.threadId)).filter(({ deleting }) => !deleting)).toEqual([]);
  });
});

describe("a message that arrives while a thread is being deleted", () => {
  test.each([
    [0, "TransactWriteItems"],
    [98, "TransactWriteItems"],
    [99, "TransactWriteItems"], // the message makes it too long for one transaction
    [100, "TransactWriteItems"], // the transaction that marks it
  ])("just before its %i turns are deleted is deleted, too", async (count, write) => {
    const thread = await storage.storeThread(count);
    let appended: Thread | undefined;
    const append = after(async () => {
      appended = await storage.commit(thread, turn(count));
    });
    storage.faults.fail(write, append);
    expect(await storage.remove(thread)).toBe(true);
    expect(appended?.messageCount).toBe(2 * count + 2);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("is either rejected or committed first and then deleted, in any order", async () => {
    for (let round = 0; round < 40; round++) {
      const thread = await storage.storeThread(round % 3);
      const append = () => storage.commit(thread, turn(round));
      const [, removed] = await Promise.all([append(), storage.remove(thread), append()]);
      expect(removed).toBe(true);
      expect(await append()).toBeUndefined();
      expect(await storage.threadItems(thread.threadId)).toEqual([]);
    }
  });
});

describe("a thread whose id is reused while it is being deleted", () => {
  test.each([
    [0, 0],
    [100, 0],
    [0, 100],
    [100, 100],
  ])("(with %i turns) does not affect the new thread with %i turns", async (count, others) => {
    const thread = await storage.storeThread(count);
    const other = { ...newThread(), threadId: thread.threadId, messageCount: 2 * others };
    const reuse = after(async () => {
      expect(await storage.remove(thread)).toBe(true);
      expect(await storage.threads.insertThread(TENANT, other, undefined)).toEqual({ kind: "inserted" });
      await storage.seed(...turnItems(other, others));
    });
    storage.faults.fail("TransactWriteItems", reuse);
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ generation: other.generation });
    expect(await storage.threadItems(thread.threadId)).toHaveLength(1 + others);
  });

  test("counts as deleted by this caller if only the response was lost", async () => {
    const thread = await storage.storeThread(1);
    const other = { ...newThread(), threadId: thread.threadId };
    storage.faults.fail("TransactWriteItems", responseLost);
    storage.faults.fail("TransactWriteItems", async (call) => {
      await storage.threads.insertThread(TENANT, other, undefined);
      return conflict(call);
    });
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ generation: other.generation });
  });

  test("counts as deleted by another caller if this caller's only attempt was rejected", async () => {
    const thread = await storage.storeThread(1);
    storage.faults.fail("TransactWriteItems", async (call) => {
      await storage.remove(thread);
      return conflict(call);
    });
    expect(await storage.remove(thread)).toBe(false);
  });
});

describe("an interrupted deletion of a long thread", () => {
  const stages: [string, string, number, number][] = [
    ["before any turn is deleted", "BatchWriteItem", 0, 121],
    ["with some turns deleted", "BatchWriteItem", 3, 46],
    ["with all turns deleted", "TransactWriteItems", 1, 1],
  ];

  test.each(stages)("(%s) is invisible and finished by the next sweep", async (_, operation, passed, left) => {
    stopClockAt("2030-01-01T10:03:00.000Z");
    const thread = await storage.storeThread(120);
    storage.faults.fail(operation, ({ forward }) => forward(), passed);
    storage.faults.fail(operation, requestLost, Number.POSITIVE_INFINITY);
    await expect(storage.remove(thread)).rejects.toThrow();
    storage.faults.reset();
    expect(await storage.threadItems(thread.threadId)).toHaveLength(left);

    await expectHidden(thread);
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.threadItems(thread.threadId)).toHaveLength(left);

    stopClockAt("2030-01-01T10:10:00.000Z");
    await sweep();
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
    expect(await storage.sweepKeys("2030-01-01T10:10:00.000Z")).toEqual([]);
    expect(
      await storage.threads.insertThread(TENANT, { ...newThread(), threadId: thread.threadId }, undefined),
    ).toEqual({ kind: "inserted" });
  });

  async function sweep(): Promise<void> {
    jest.spyOn(console, "info").mockReturnValue();
    const { sweepThreads } = await import("../../shared/data-lifecycle/sweep-threads.ts");
    expect(await sweepThreads(() => 60_000)).toMatchObject({ removed: 1, failed: 0, complete: true });
  }

  test("leaves no patient data on the thread's own item", async () => {
    const thread = await storage.storeThread(100);
    const personal = { patientId: "a patient", boundPatientId: "a patient", metadata: '{"source":"test"}' };
    await storage.seed({ ...(await storage.threadItem(thread)), ...personal });
    storage.faults.fail("BatchWriteItem", requestLost, 3);
    await expect(storage.remove(thread)).rejects.toThrow();
    const item = (await storage.threadItems(thread.threadId)).at(-1);
    expect(item).toMatchObject({ sk: "~thread", deleting: true });
    expect(item).not.toHaveProperty("patientId");
    expect(item).not.toHaveProperty("boundPatientId");
    expect(item).not.toHaveProperty("metadata");
  });
});

describe("with a failing database", () => {
  beforeEach(retryWithoutWaiting);

  test("a long thread is deleted even if items are left unprocessed at first", async () => {
    const thread = await storage.storeThread(100);
    storage.faults.fail("BatchWriteItem", unprocessed, 10);
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("unprocessed items are retried with exponential backoff", async () => {
    const thread = await storage.storeThread(100);
    jest.spyOn(Math, "random").mockReturnValue(1); // the longest waits: 10, 20, 40, 80 and 160 ms
    const times: number[] = [];
    const nothing: Fault = ({ body }) => {
      times.push(performance.now());
      return { status: 200, body: { UnprocessedItems: body.RequestItems } };
    };
    storage.faults.fail("BatchWriteItem", nothing, 6);
    expect(await storage.remove(thread)).toBe(true);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThan(10 * 2 ** index - 2); // a timer may fire a millisecond early
    }
  });

  test("a batch that is never processed causes an error in the end", async () => {
    const thread = await storage.storeThread(100);
    const nothing: Fault = ({ body }) => ({ status: 200, body: { UnprocessedItems: body.RequestItems } });
    storage.faults.fail("BatchWriteItem", nothing, Number.POSITIVE_INFINITY);
    await expect(storage.remove(thread)).rejects.toThrow("unprocessed");
    expect(storage.faults.calls("BatchWriteItem")).toBe(21);
    await expectHidden(thread);
  });

  test("a database that is down causes an error after three attempts and leaves the thread unchanged", async () => {
    const thread = await storage.storeThread(2);
    const before = await storage.threadItems(thread.threadId);
    for (const operation of ["Query", "TransactWriteItems"]) {
      storage.faults.reset();
      storage.faults.fail(operation, requestLost, Number.POSITIVE_INFINITY);
      await expect(storage.remove(thread)).rejects.toThrow();
      expect(storage.faults.calls(operation)).toBe(3);
    }
    expect(await storage.threadItems(thread.threadId)).toEqual(before);
  });

  test("a thread that stays in conflict with other transactions causes an error in the end", async () => {
    const thread = await storage.storeThread(1);
    storage.faults.reset();
    storage.faults.fail("TransactWriteItems", conflict, Number.POSITIVE_INFINITY);
    await expect(storage.remove(thread)).rejects.toThrow("TransactionConflict");
    expect(storage.faults.calls("TransactWriteItems")).toBe(21);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toBeDefined();
  });
});
