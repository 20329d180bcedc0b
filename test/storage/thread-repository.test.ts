import { describe, expect, jest, test } from "@jest/globals";
import { threadKey } from "../../shared/dynamo/keys.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { TENANT } from "../helpers/caller.ts";
import { newThread, stopClockAt, turn } from "../helpers/database/database.ts";
import { exchange } from "../helpers/database/exchange.ts";
import { after, conflict, requestLost, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

/** Ways in which a thread can disappear before a turn is committed. */
const gone: [string, (thread: Thread) => Promise<unknown>][] = [
  ["was deleted", (thread) => storage.remove(thread)],
  ["is being deleted", (thread) => storage.markDeleting(thread)],
  [
    "was deleted and its id reused",
    async (thread) => {
      await storage.remove(thread);
      const other = { ...newThread(), threadId: thread.threadId };
      await storage.threads.insertThread(TENANT, other, undefined);
      await storage.commit(other, turn(7));
    },
  ],
];

describe("appending a turn", () => {
  test("moves the expiry of a thread that has expired since it was read: the message was sent in time", async () => {
    const thread = await storage.storeThread(1);
    const now = Date.parse(thread.expiresAt) + 20_000;
    stopClockAt(now);
    const expiresAt = new Date(now + 30 * 60_000).toISOString();
    expect(await storage.commit(thread, turn(1))).toMatchObject({ messageCount: 4, expiresAt });
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ messageCount: 4, expiresAt });
    expect(await storage.threadItem(thread)).toMatchObject({ sweepAt: expect.any(String) });
  });

  test("does so also if another turn was stored meanwhile, after which the thread has expired", async () => {
    const thread = await storage.storeThread(1);
    const other = await storage.commit(thread, turn(1));
    stopClockAt(Date.parse(other?.expiresAt ?? "") + 1);
    expect(await storage.commit(thread, turn(2))).toMatchObject({ messageCount: 6 });
  });

  test.each(gone)("writes nothing to a thread that %s while the write is in transit", async (_, happens) => {
    const thread = await storage.storeThread(1);
    let before: unknown;
    const meanwhile = after(async () => {
      await happens(thread);
      before = await storage.threadItems(thread.threadId);
    });
    storage.faults.fail("TransactWriteItems", meanwhile);
    expect(await storage.commit(thread, turn(1))).toBeUndefined();
    expect(before).toBeDefined();
    expect(await storage.threadItems(thread.threadId)).toEqual(before);
  });

  test("writes the sweep index only when the expiry crosses a sweep", async () => {
    stopClockAt("2030-01-01T10:00:00.001Z");
    const thread = await storage.storeThread();
    const key = threadKey(TENANT, thread.threadId);
    for (const [now, sweepAt] of [
      ["10:00:00.002", "10:40"],
      ["10:10:00.000", "10:40"],
      ["10:10:00.001", "10:50"],
    ]) {
      stopClockAt(`2030-01-01T${now}Z`);
      await storage.commit(thread, turn(0));
      expect(await storage.threadItem(thread)).toMatchObject({ sweepAt: `2030-01-01T${sweepAt}:00.000Z` });
    }
    expect(await storage.sweepKeys("2030-01-01T10:40:00.000Z")).toEqual([]);
    expect(await storage.sweepKeys("2030-01-01T10:50:00.000Z")).toMatchObject([key]);
  });

  test("sets the TTL of a turn to a week after its commit, and the thread's to a day after its expiry", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const thread = await storage.storeThread(1);
    stopClockAt("2030-01-01T10:20:00.000Z");
    await storage.commit(thread, turn(1));
    const ttls = (await storage.threadItems(thread.threadId)).map(({ ttl }) => new Date(Number(ttl) * 1000));
    expect(ttls.map((ttl) => ttl.toISOString())).toEqual([
      "2030-01-08T10:00:00.000Z",
      "2030-01-08T10:20:00.000Z",
      "2030-01-02T10:50:00.000Z",
    ]);
  });

  test("keeps the first turns of a conversation of several days, which DynamoDB's TTL must not delete", async () => {
    const idle = 24 * 60 * 60_000;
    jest.replaceProperty(process, "env", { ...process.env, THREAD_IDLE_SECONDS: String(idle / 1_000) });
    const start = Date.now();
    stopClockAt(start);
    let thread = newThread();
    await storage.threads.insertThread(TENANT, thread);
    for (let number = 0; number < 4; number++) {
      stopClockAt(start + number * (idle - 1_000));
      thread = (await storage.commit(thread, turn(number))) as Thread;
    }
    const items = await storage.threadItems(thread.threadId);
    expect(items).toHaveLength(4 + 1);
    expect(items.filter(({ ttl }) => Number(ttl) * 1000 <= Date.now())).toEqual([]);
  });
});

describe("a turn whose response is lost", () => {
  test("is recognized by its own commit after another turn has followed it", async () => {
    const thread = await storage.storeThread(1);
    storage.faults.fail("TransactWriteItems", responseLost);
    storage.faults.fail("TransactWriteItems", async (call) => {
      expect(await storage.commit(thread, turn(2))).toMatchObject({ messageCount: 6 });
      return conflict(call);
    });
    expect(await storage.commit(thread, turn(1))).toMatchObject({ messageCount: 4 });
    const conversation = await storage.threads.readConversation(TENANT, thread.threadId);
    expect(conversation).toMatchObject({ thread: { messageCount: 6 }, turns: [turn(0), turn(1), turn(2)] });
  });

  test("is distinguished from an equal turn that another commit stored in its place", async () => {
    const thread = await storage.storeThread(1);
    storage.faults.fail("TransactWriteItems", requestLost);
    storage.faults.fail("TransactWriteItems", async (call) => {
      expect(await storage.commit(thread, turn(1))).toMatchObject({ messageCount: 4 });
      return conflict(call);
    });
    expect(await storage.commit(thread, turn(1))).toMatchObject({ messageCount: 6 });
    const conversation = await storage.threads.readConversation(TENANT, thread.threadId);
    expect(conversation).toMatchObject({ thread: { messageCount: 6 }, turns: [turn(0), turn(1), turn(1)] });
  });

  test("keeps the time of its commit, not of its recognition", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const thread = await storage.storeThread(1);
    storage.faults.fail("TransactWriteItems", responseLost);
    storage.faults.fail("TransactWriteItems", (call) => {
      stopClockAt("2030-01-01T10:00:05.000Z");
      return conflict(call);
    });
    const committed = await storage.commit(thread, turn(1));
    expect(committed).toMatchObject({
      lastActivity: "2030-01-01T10:00:00.000Z",
      expiresAt: "2030-01-01T10:30:00.000Z",
    });
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toEqual(committed);
  });

  test("causes no extra read if it only lost the race for the count", async () => {
    const thread = await storage.storeThread(1);
    await storage.commit(thread, turn(1));
    storage.faults.reset();
    expect(await storage.commit(thread, turn(2))).toMatchObject({ messageCount: 6 });
    expect(storage.faults.calls("GetItem")).toBe(0);
  });
});

describe("reading a conversation", () => {
  test("returns all messages if they exceed one page of a query", async () => {
    const thread = await storage.storeThread();
    const long = (number: number) => exchange(`question ${number}`, String(number % 10).repeat(250_000));
    for (let number = 0; number < 12; number++) {
      await storage.commit(thread, long(number));
    }
    storage.faults.reset();
    const conversation = await storage.threads.readConversation(TENANT, thread.threadId);
    expect(storage.faults.calls("Query")).toBeGreaterThan(1);
    expect(conversation?.turns).toEqual(Array.from({ length: 10 }, (_, index) => long(2 + index)));
  });

  test("finds the thread until the millisecond it expires, swept or not", async () => {
    const { threadId, expiresAt } = await storage.storeThread(1);
    stopClockAt(Date.parse(expiresAt) - 1);
    expect(await storage.threads.readConversation(TENANT, threadId)).toBeDefined();
    expect(await storage.threads.readThread(TENANT, threadId)).toBeDefined();
    stopClockAt(expiresAt);
    expect(await storage.threads.readConversation(TENANT, threadId)).toBeUndefined();
    expect(await storage.threads.readThread(TENANT, threadId)).toBeUndefined();
  });
});

describe("reading some turns", () => {
  test("returns them all if they are too long for one page of a query", async () => {
    const thread = await storage.storeThread(12, "x".repeat(200_000));
    storage.faults.reset();
    const turns = await storage.threads.readTurns(TENANT, thread, 0, 11);
    expect(turns?.map(({ number }) => number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(storage.faults.calls("Query")).toBeGreaterThan(1);
  });

  test("finds nothing if one of them is not there", async () => {
    const thread = await storage.storeThread(3);
    expect(await storage.threads.readTurns(TENANT, thread, 0, 3)).toBeUndefined();
    await storage.remove(thread);
    expect(await storage.threads.readTurns(TENANT, thread, 0, 2)).toBeUndefined();
  });
});

describe("inserting a thread", () => {
  test.each<[string, (thread: Thread) => unknown]>([
    ["is in use", () => {}],
    ["has expired but is not swept yet", ({ expiresAt }) => stopClockAt(Date.parse(expiresAt) + 60_000)],
    ["is being deleted", (thread) => storage.markDeleting(thread)],
  ])("does not change a thread that has the same id and %s", async (_, happens) => {
    const first = await storage.storeThread(1);
    await happens(first);
    const before = await storage.threadItems(first.threadId);
    const second = { ...newThread(), threadId: first.threadId, messageCount: 2 };
    expect(await storage.threads.insertThread(TENANT, second, undefined)).toEqual({ kind: "id-taken" });
    expect(await storage.threads.insertThread(TENANT, second, { opening: turn(9) })).toEqual({ kind: "id-taken" });
    expect(await storage.threadItems(first.threadId)).toEqual(before);
  });
});
