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
} from "../helpers/database/database.ts";
import {
  after,
  answerLost,
  conflict,
  type Fault,
  inProgress,
  internalError,
  lost,
  refused,
  throttled,
} from "../helpers/database/faulty-dynamodb.ts";

let database: TestDatabase;
let repository: typeof import("../../shared/threads/thread-repository.ts");
let removal: typeof import("../../shared/threads/thread-removal-repository.ts");
beforeAll(async () => {
  database = await startTestDatabase();
  repository = await import("../../shared/threads/thread-repository.ts");
  removal = await import("../../shared/threads/thread-removal-repository.ts");
});
afterEach(() => {
  database.faults.reset();
  jest.useRealTimers();
  jest.restoreAllMocks();
});
afterAll(() => database.stop());

/** Stores a new thread with turns 0 to `count` - 1. */
async function storeThread(count = 0): Promise<Thread> {
  const thread = newThread();
  expect(await repository.insertThread(thread, undefined)).toBe(true);
  for (let number = 0; number < count; number++) {
    await repository.commitTurn(thread, turn(number), inTime());
  }
  return (await repository.readThread(thread.threadId)) as Thread;
}

/** The thread's own item, as it is stored. */
async function storedThread({ threadId }: Thread) {
  return (await database.threadItems(threadId)).at(-1) ?? {};
}

const markDeleting = async (thread: Thread) => database.seed({ ...(await storedThread(thread)), deleting: true });

/** Ways in which a thread can be gone before a turn is committed. */
const gone: [string, (thread: Thread) => Promise<unknown>][] = [
  ["was deleted", ({ threadId }) => removal.removeThread(threadId, "active")],
  ["is being deleted", markDeleting],
  [
    "was deleted, its id given to another",
    async ({ threadId }) => {
      await removal.removeThread(threadId, "active");
      const other = { ...newThread(), threadId };
      await repository.insertThread(other, undefined);
      await repository.commitTurn(other, turn(7), inTime());
    },
  ],
];
const expires: (typeof gone)[number] = ["expires this very moment", async ({ expiresAt }) => stopClockAt(expiresAt)];

describe("appending a turn", () => {
  test("25 at once all succeed, each with a count of its own, and leave no gap", async () => {
    const thread = await storeThread();
    const appended = await Promise.all(
      Array.from({ length: 25 }, (_, number) => repository.commitTurn(thread, turn(number), inTime())),
    );

    const counts = appended.map((result) => Number(result?.messageCount)).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 25 }, (_, index) => 2 * (index + 1)));
    const stored = await database.threadItems(thread.threadId);
    expect(stored.map(({ sk }) => sk)).toEqual([
      ...Array.from({ length: 25 }, (_, index) => `turn#${thread.generation}#${String(index).padStart(8, "0")}`),
      "~thread",
    ]);
    expect(stored.at(-1)).toMatchObject({ messageCount: 50 });

    // In the order of their commits: who was told n messages is number n / 2.
    const inOrder = stored.slice(0, -1).map(({ question, answer }) => ({ question, answer }));
    expect(inOrder).toEqual(counts.map((count) => turn(appended.findIndex((one) => one?.messageCount === count))));
    const read = await repository.readConversation(thread.threadId);
    expect(read?.thread.messageCount).toBe(50);
    expect(read?.turns).toEqual(inOrder.slice(-10));
  });

  test("commits at the count that is stored, however old the caller's is", async () => {
    const thread = await storeThread();
    await repository.commitTurn(thread, turn(0), inTime());
    await repository.commitTurn(thread, turn(1), inTime());
    expect(await repository.commitTurn(thread, turn(2), inTime())).toMatchObject({ messageCount: 6 });
  });

  test("resets the thread's time to 30 minutes from now", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const thread = await storeThread();
    stopClockAt("2030-01-01T10:29:59.999Z");
    const times = { lastActivity: "2030-01-01T10:29:59.999Z", expiresAt: "2030-01-01T10:59:59.999Z" };
    expect(await repository.commitTurn(thread, turn(0), inTime())).toMatchObject(times);
    const createdAt = "2030-01-01T10:00:00.000Z";
    expect(await repository.readThread(thread.threadId)).toMatchObject({ ...times, createdAt });
  });

  test.each([...gone, expires])("writes nothing to a thread that %s", async (_, happens) => {
    const thread = await storeThread(1);
    await happens(thread);
    const before = await database.threadItems(thread.threadId);
    expect(await repository.commitTurn(thread, turn(1), inTime())).toBeUndefined();
    expect(await database.threadItems(thread.threadId)).toEqual(before);
  });

  test.each(gone)("writes nothing to a thread that %s while the write is on its way", async (_, happens) => {
    const thread = await storeThread(1);
    let before: unknown;
    const meanwhile = after(async () => {
      await happens(thread);
      before = await database.threadItems(thread.threadId);
    });
    database.faults.fail("TransactWriteItems", meanwhile);
    expect(await repository.commitTurn(thread, turn(1), inTime())).toBeUndefined();
    expect(before).toBeDefined();
    expect(await database.threadItems(thread.threadId)).toEqual(before);
  });

  test("writes the sweep index only when the expiry crosses a sweep", async () => {
    stopClockAt("2030-01-01T10:00:00.001Z");
    const thread = await storeThread();
    const key = { threadId: thread.threadId, sk: "~thread" };
    for (const [now, sweepAt] of [
      ["10:00:00.002", "10:40"],
      ["10:10:00.000", "10:40"],
      ["10:10:00.001", "10:50"],
    ]) {
      stopClockAt(`2030-01-01T${now}Z`);
      await repository.commitTurn(thread, turn(0), inTime());
      expect(await storedThread(thread)).toMatchObject({ sweepAt: `2030-01-01T${sweepAt}:00.000Z` });
    }
    expect(await database.sweepKeys("2030-01-01T10:40:00.000Z")).toEqual([]);
    expect(await database.sweepKeys("2030-01-01T10:50:00.000Z")).toMatchObject([key]);
  });

  test("leaves a turn to DynamoDB's own expiry a day after it was written, the thread a day after its end", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const thread = await storeThread(1);
    stopClockAt("2030-01-01T10:20:00.000Z");
    await repository.commitTurn(thread, turn(1), inTime());
    const ttls = (await database.threadItems(thread.threadId)).map(({ ttl }) => new Date(Number(ttl) * 1000));
    expect(ttls.map((ttl) => ttl.toISOString())).toEqual([
      "2030-01-02T10:00:00.000Z",
      "2030-01-02T10:20:00.000Z",
      "2030-01-02T10:50:00.000Z",
    ]);
  });
});

describe("reading a conversation", () => {
  test.each([0, 1, 9, 10, 11, 30])("of %i turns brings the last 20 messages, oldest first", async (count) => {
    const { threadId } = await storeThread(count);
    const conversation = await repository.readConversation(threadId);
    expect(conversation?.thread.messageCount).toBe(2 * count);
    const first = Math.max(0, count - 10);
    expect(conversation?.turns).toEqual(Array.from({ length: count - first }, (_, index) => turn(first + index)));
  });

  test("brings them all when they are too long for one page of a query", async () => {
    const thread = await storeThread();
    const long = (number: number) => ({ question: `question ${number}`, answer: String(number % 10).repeat(250_000) });
    for (let number = 0; number < 12; number++) {
      await repository.commitTurn(thread, long(number), inTime());
    }
    database.faults.reset();
    const conversation = await repository.readConversation(thread.threadId);
    expect(database.faults.calls("Query")).toBeGreaterThan(1);
    expect(conversation?.turns).toEqual(Array.from({ length: 10 }, (_, index) => long(2 + index)));
  });

  test("finds the thread until the millisecond it expires, swept or not", async () => {
    const { threadId, expiresAt } = await storeThread(1);
    stopClockAt(Date.parse(expiresAt) - 1);
    expect(await repository.readConversation(threadId)).toBeDefined();
    expect(await repository.readThread(threadId)).toBeDefined();
    stopClockAt(expiresAt);
    expect(await repository.readConversation(threadId)).toBeUndefined();
    expect(await repository.readThread(threadId)).toBeUndefined();
  });

  test("finds no thread that is being deleted", async () => {
    const thread = await storeThread(1);
    await markDeleting(thread);
    expect(await repository.readConversation(thread.threadId)).toBeUndefined();
    expect(await repository.readThread(thread.threadId)).toBeUndefined();
  });

  test("writes nothing", async () => {
    const thread = await storeThread(1);
    const before = await database.threadItems(thread.threadId);
    await repository.readConversation(thread.threadId);
    await repository.readThread(thread.threadId);
    expect(await database.threadItems(thread.threadId)).toEqual(before);
  });
});

describe("inserting a thread", () => {
  test("stores it together with its opening turn", async () => {
    const thread = { ...newThread(), messageCount: 2, metadata: { source: "test", deep: [{ empty: "" }] } };
    expect(await repository.insertThread(thread, turn(0))).toBe(true);
    const conversation = await repository.readConversation(thread.threadId);
    expect(conversation).toMatchObject({ thread: { messageCount: 2 }, turns: [turn(0)] });
    expect(JSON.parse(String((await storedThread(thread)).metadata))).toEqual(thread.metadata);
  });

  test.each<[string, (thread: Thread) => unknown]>([
    ["is in use", () => {}],
    ["has expired and is not swept yet", ({ expiresAt }) => stopClockAt(Date.parse(expiresAt) + 60_000)],
    ["is being deleted", markDeleting],
  ])("leaves a thread alone that has the same id and %s", async (_, happens) => {
    const first = await storeThread(1);
    await happens(first);
    const before = await database.threadItems(first.threadId);
    const second = { ...newThread(), threadId: first.threadId, messageCount: 2 };
    expect(await repository.insertThread(second, undefined)).toBe(false);
    expect(await repository.insertThread(second, turn(9))).toBe(false);
    expect(await database.threadItems(first.threadId)).toEqual(before);
  });

  test("gives one id to one of 20 that ask for it at once", async () => {
    const { threadId } = newThread();
    const threads = Array.from({ length: 20 }, () => ({ ...newThread(), threadId }));
    const inserted = await Promise.all(threads.map((thread) => repository.insertThread(thread, undefined)));
    expect(inserted.filter(Boolean)).toHaveLength(1);
    expect(await repository.readThread(threadId)).toMatchObject({
      generation: threads[inserted.indexOf(true)]?.generation,
    });
  });
});

describe("trouble with the database", () => {
  beforeEach(retryWithoutWaiting);

  const passing: [string, Fault, number][] = [
    ["other transactions on the same items", conflict, 5],
    ["throttling", throttled, 2],
    ["throttling of one item", refused("ThrottlingError"), 5],
    ["a first try that is still under way", inProgress, 2],
    ["failures inside DynamoDB", internalError, 2],
    ["lost connections", lost, 2],
    ["lost answers to what was carried out", answerLost, 2],
  ];

  test.each(passing)("a turn is appended once, in spite of %s", async (_, fault, times) => {
    const thread = await storeThread(1);
    database.faults.fail("TransactWriteItems", fault, times);
    expect(await repository.commitTurn(thread, turn(1), inTime())).toMatchObject({ messageCount: 4 });
    const conversation = await repository.readConversation(thread.threadId);
    expect(conversation).toMatchObject({ thread: { messageCount: 4 }, turns: [turn(0), turn(1)] });
    expect(await database.threadItems(thread.threadId)).toHaveLength(3);
  });

  test.each(passing)("a thread is inserted once, in spite of %s", async (_, fault, times) => {
    const thread = { ...newThread(), messageCount: 2 };
    database.faults.fail("TransactWriteItems", fault, times);
    expect(await repository.insertThread(thread, turn(0))).toBe(true);
    expect(await repository.readConversation(thread.threadId)).toMatchObject({ turns: [turn(0)] });
  });

  test.each<[string, Fault]>([
    ["throttling without end", throttled],
    ["a database that is down", lost],
    ["a database that fails", internalError],
  ])("%s is an error after three tries", async (_, fault) => {
    const thread = await storeThread();
    for (const [operation, call] of [
      ["GetItem", () => repository.readThread(thread.threadId)],
      ["Query", () => repository.readConversation(thread.threadId)],
      ["TransactWriteItems", () => repository.commitTurn(thread, turn(0), inTime())],
      ["TransactWriteItems", () => repository.insertThread(newThread(), undefined)],
    ] as const) {
      database.faults.reset();
      database.faults.fail(operation, fault, Number.POSITIVE_INFINITY);
      await expect(call()).rejects.toThrow();
      expect(database.faults.calls()).toBe(3);
    }
  });

  test("a turn that never finds its turn is an error in the end", async () => {
    const thread = await storeThread();
    const calls = 5;
    const busy: Fault = (call) => {
      stopClockAt(Date.now() + 16_000 / calls);
      return conflict(call);
    };
    database.faults.reset();
    database.faults.fail("TransactWriteItems", busy, Number.POSITIVE_INFINITY);
    await expect(repository.commitTurn(thread, turn(0), inTime())).rejects.toThrow("TransactionConflict");
    expect(database.faults.calls()).toBe(calls);
    expect(await database.threadItems(thread.threadId)).toHaveLength(1);
  });

  test("a refusal that repeating cannot mend is an error at once", async () => {
    const thread = await storeThread();
    database.faults.reset();
    database.faults.fail("TransactWriteItems", refused("ValidationError"), Number.POSITIVE_INFINITY);
    await expect(repository.commitTurn(thread, turn(0), inTime())).rejects.toThrow();
    await expect(repository.insertThread(newThread(), undefined)).rejects.toThrow();
    expect(database.faults.calls()).toBe(2);
  });
});
