import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Thread } from "../../shared/threads/thread.ts";
import {
  inTime,
  newThread,
  retryWithoutWaiting,
  startTestDatabase,
  stopClockAt,
  type TestDatabase,
  turn,
  turnItems,
} from "../helpers/database/database.ts";
import {
  after,
  answerLost,
  conflict,
  type Fault,
  internalError,
  lost,
  throttled,
  unprocessed,
} from "../helpers/database/faulty-dynamodb.ts";

let database: TestDatabase;
let threads: typeof import("../../shared/threads/thread-repository.ts");
let removal: typeof import("../../shared/threads/thread-removal-repository.ts");
beforeAll(async () => {
  database = await startTestDatabase();
  threads = await import("../../shared/threads/thread-repository.ts");
  removal = await import("../../shared/threads/thread-removal-repository.ts");
});
afterEach(() => {
  database.faults.reset();
  jest.useRealTimers();
  jest.restoreAllMocks();
});
afterAll(() => database.stop());

/** Stores a new thread with so many turns. */
async function storeThread(count: number, answer = "an answer"): Promise<Thread> {
  const thread = { ...newThread(), messageCount: 2 * count };
  expect(await threads.insertThread(thread, undefined)).toBe(true);
  await database.seed(...turnItems(thread, count, { answer }));
  return (await threads.readThread(thread.threadId)) as Thread;
}

const remove = ({ threadId }: Thread) => removal.removeThread(threadId, "active");

/** Holds a thread to not existing for anybody, while its id is not given away. */
async function expectHidden(thread: Thread): Promise<void> {
  expect(await threads.readThread(thread.threadId)).toBeUndefined();
  expect(await threads.readConversation(thread.threadId)).toBeUndefined();
  expect(await threads.commitTurn(thread, turn(0), inTime())).toBeUndefined();
  expect(await threads.insertThread({ ...newThread(), threadId: thread.threadId }, undefined)).toBe(false);
}

describe("deleting a thread", () => {
  test.each([0, 1, 99, 100, 150])("of %i turns leaves nothing behind, and happens once", async (count) => {
    const thread = await storeThread(count);
    expect(await remove(thread)).toBe(true);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
    expect(await remove(thread)).toBe(false);
  });

  test("of 99 turns is one transaction", async () => {
    const thread = await storeThread(99);
    database.faults.reset();
    await remove(thread);
    expect(database.faults.calls("TransactWriteItems")).toBe(1);
    expect(database.faults.calls()).toBe(2); // one query before it
  });

  test("whose messages take more than one page of a query leaves nothing behind", async () => {
    const thread = await storeThread(30, "x".repeat(100_000));
    database.faults.reset();
    expect(await remove(thread)).toBe(true);
    expect(database.faults.calls("Query")).toBeGreaterThan(1);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test("hides a long one from everybody before the first turn goes", async () => {
    const thread = await storeThread(101);
    let looks = 0;
    const look = after(async () => {
      await expectHidden(thread);
      looks++;
    });
    database.faults.fail("BatchWriteItem", look, Number.POSITIVE_INFINITY);
    expect(await remove(thread)).toBe(true);
    expect(looks).toBe(5);
  });

  test("does not delete a thread that has expired: that is gone already", async () => {
    const thread = await storeThread(1);
    stopClockAt(thread.expiresAt);
    expect(await remove(thread)).toBe(false);
    expect(await database.threadItems(thread.threadId)).toHaveLength(2);
  });

  test.each([0, 3, 100])("twice at once, with %i turns, deletes it once", async (count) => {
    const thread = await storeThread(count);
    const removed = await Promise.all([remove(thread), remove(thread), remove(thread)]);
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect((await database.threadItems(thread.threadId)).filter(({ deleting }) => !deleting)).toEqual([]);
  });
});

describe("a message that comes while a thread is being deleted", () => {
  test.each([
    [0, "TransactWriteItems"],
    [98, "TransactWriteItems"],
    [99, "TransactWriteItems"], // the message makes it too long for one transaction
    [100, "TransactWriteItems"], // the one that marks it
  ])("just before its %i turns go is deleted too", async (count, write) => {
    const thread = await storeThread(count);
    let appended: Thread | undefined;
    const append = after(async () => {
      appended = await threads.commitTurn(thread, turn(count), inTime());
    });
    database.faults.fail(write, append);
    expect(await remove(thread)).toBe(true);
    expect(appended?.messageCount).toBe(2 * count + 2);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test("in any order is either refused, or committed first and then deleted", async () => {
    for (let round = 0; round < 40; round++) {
      const thread = await storeThread(round % 3);
      const append = () => threads.commitTurn(thread, turn(round), inTime());
      const [, removed] = await Promise.all([append(), remove(thread), append()]);
      expect(removed).toBe(true);
      expect(await append()).toBeUndefined();
      expect(await database.threadItems(thread.threadId)).toEqual([]);
    }
  });
});

describe("a long thread's deletion that is cut off", () => {
  const stages: [string, string, number, number][] = [
    ["before a turn is gone", "BatchWriteItem", 0, 121],
    ["with some turns gone", "BatchWriteItem", 3, 46],
    ["with all turns gone", "TransactWriteItems", 1, 1],
  ];

  test.each(stages)("%s is invisible, and finished by the next sweep", async (_, operation, passed, left) => {
    stopClockAt("2030-01-01T10:03:00.000Z");
    const thread = await storeThread(120);
    database.faults.fail(operation, ({ forward }) => forward(), passed);
    database.faults.fail(operation, lost, Number.POSITIVE_INFINITY);
    await expect(remove(thread)).rejects.toThrow();
    database.faults.reset();
    expect(await database.threadItems(thread.threadId)).toHaveLength(left);

    await expectHidden(thread);
    expect(await remove(thread)).toBe(false);
    expect(await database.threadItems(thread.threadId)).toHaveLength(left);

    stopClockAt("2030-01-01T10:10:00.000Z");
    await sweep();
    expect(await database.threadItems(thread.threadId)).toEqual([]);
    expect(await database.sweepKeys("2030-01-01T10:10:00.000Z")).toEqual([]);
    expect(await threads.insertThread({ ...newThread(), threadId: thread.threadId }, undefined)).toBe(true);
  });

  async function sweep(): Promise<void> {
    jest.spyOn(console, "info").mockReturnValue();
    const { sweepThreads } = await import("../../shared/threads/sweep-threads.ts");
    expect(await sweepThreads(() => 60_000)).toMatchObject({ removed: 1, failed: 0, complete: true });
  }

  test("keeps nothing of the patient on the thread's own item", async () => {
    const thread = await storeThread(100);
    database.faults.fail("BatchWriteItem", lost, 3);
    await expect(remove(thread)).rejects.toThrow();
    const item = (await database.threadItems(thread.threadId)).at(-1);
    expect(item).toMatchObject({ sk: "~thread", deleting: true });
    expect(item).not.toHaveProperty("patientId");
    expect(item).not.toHaveProperty("metadata");
  });
});

describe("trouble with the database", () => {
  beforeEach(retryWithoutWaiting);

  const retryable: [string, Fault, number][] = [
    ["other transactions on the same items", conflict, 5],
    ["throttling", throttled, 2],
    ["failures inside DynamoDB", internalError, 2],
    ["lost connections", lost, 2],
    ["lost answers to what was carried out", answerLost, 2],
  ];

  test.each(retryable)("a thread is deleted in spite of %s", async (_, fault, times) => {
    const thread = await storeThread(3);
    database.faults.fail("TransactWriteItems", fault, times);
    expect(await remove(thread)).toBe(true);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test.each(retryable)("a long thread is deleted in spite of %s when it is marked", async (_, fault, times) => {
    const thread = await storeThread(100);
    database.faults.fail("TransactWriteItems", fault, times);
    expect(await remove(thread)).toBe(true);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test.each(retryable)("a long thread is deleted in spite of %s when its own item goes", async (_, fault, times) => {
    const thread = await storeThread(100);
    database.faults.fail("TransactWriteItems", ({ forward }) => forward(), 1); // the mark
    database.faults.fail("TransactWriteItems", fault, times);
    expect(await remove(thread)).toBe(true);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test.each<[string, Fault, number]>([
    ...retryable.slice(1),
    ["items that stay unprocessed at first", unprocessed, 10],
  ])("a long thread is deleted in spite of %s when its turns go", async (_, fault, times) => {
    const thread = await storeThread(100);
    database.faults.fail("BatchWriteItem", fault, times);
    expect(await remove(thread)).toBe(true);
    expect(await database.threadItems(thread.threadId)).toEqual([]);
  });

  test("a batch that is never processed is an error in the end", async () => {
    const thread = await storeThread(100);
    const nothing: Fault = ({ body }) => ({ status: 200, body: { UnprocessedItems: body.RequestItems } });
    database.faults.fail("BatchWriteItem", nothing, Number.POSITIVE_INFINITY);
    await expect(remove(thread)).rejects.toThrow("unprocessed");
    expect(database.faults.calls("BatchWriteItem")).toBe(21);
    await expectHidden(thread);
  });

  test("a database that is down is an error after three tries, and the thread is as it was", async () => {
    const thread = await storeThread(2);
    const before = await database.threadItems(thread.threadId);
    for (const operation of ["Query", "TransactWriteItems"]) {
      database.faults.reset();
      database.faults.fail(operation, lost, Number.POSITIVE_INFINITY);
      await expect(remove(thread)).rejects.toThrow();
      expect(database.faults.calls(operation)).toBe(3);
    }
    expect(await database.threadItems(thread.threadId)).toEqual(before);
  });

  test("a thread that is never free of other transactions is an error in the end", async () => {
    const thread = await storeThread(1);
    database.faults.reset();
    database.faults.fail("TransactWriteItems", conflict, Number.POSITIVE_INFINITY);
    await expect(remove(thread)).rejects.toThrow("TransactionConflict");
    expect(database.faults.calls("TransactWriteItems")).toBe(21);
    expect(await threads.readThread(thread.threadId)).toBeDefined();
  });
});
