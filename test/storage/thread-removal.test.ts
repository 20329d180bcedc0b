import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { dynamo } from "../../shared/dynamo/client.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { TENANT } from "../helpers/caller.ts";
import { newThread, retryWithoutWaiting, stopClockAt, turn, turnItems } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import { after, conflict, requestLost, responseLost } from "../helpers/database/faults.ts";
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

  test("does not delete an expired idempotency record that now belongs to another one", async () => {
    const thread = await storage.storeThread(1);
    const record = { pk: "test-tenant#idempotency#create-thread#key", sk: "~idempotency", owner: "another" };
    await storage.seed(record, { ...(await storage.threadItem(thread)), creationRecord: record.pk });
    expect(await storage.remove(thread)).toBe(true);
    expect((await storage.everything()).threads).toContainEqual(record);
  });

  test("hides it from every caller before the first turn is deleted", async () => {
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
    [0, "UpdateItem"],
    [24, "UpdateItem"],
    [25, "UpdateItem"], // the message makes it too long for one batch
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
    storage.faults.fail("UpdateItem", reuse);
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ generation: other.generation });
    expect(await storage.threadItems(thread.threadId)).toHaveLength(1 + others);
  });

  test.each([
    ["another removal lists its items", "Query"],
    ["another removal marks it, too", "UpdateItem"],
    ["another removal deletes its turns", "BatchWriteItem"],
    ["another removal deletes its own item", "TransactWriteItems"],
  ])("does not affect the new thread if its id is reused while %s", async (_, operation) => {
    stopClockAt("2030-02-01T10:00:00.000Z");
    const thread = await storage.storeThread(30);
    stopClockAt("2030-02-01T10:40:00.000Z");
    const other = { ...newThread(), threadId: thread.threadId, messageCount: 60 };
    const sweepIt = () => storage.sweepOne(thread);
    await beforeNext(operation, async () => {
      expect(await sweepIt()).toBe(true);
      expect(await storage.threads.insertThread(TENANT, other)).toEqual({ kind: "inserted" });
      await storage.seed(...turnItems(other, 30));
    });
    const removed = await sweepIt();
    const repeated = storage.faults.calls("TransactWriteItems") > 4; // by the client, on a machine so busy that a call takes 2 s
    expect(removed && !repeated).toBe(false);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ generation: other.generation });
    expect(await storage.threadItems(thread.threadId)).toHaveLength(31);
  });

  test("and again leaves the new thread to its own removal if that was interrupted", async () => {
    const thread = await storage.storeThread(1);
    await beforeNext("DeleteItem", async () => {
      await storage.removal.eraseThread(TENANT, thread);
      const other = { ...newThread(), threadId: thread.threadId, messageCount: 2 };
      await storage.threads.insertThread(TENANT, other);
      await storage.seed(...turnItems(other, 1));
      await storage.markDeleting(other);
    });
    await storage.remove(thread);
    expect(await storage.threadItems(thread.threadId)).toHaveLength(2);
  });

  /** Runs an action before the client starts a call: within the call, the action could exceed the call's time limit. */
  async function beforeNext(operation: string, action: () => Promise<void>): Promise<void> {
    dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === `${operation}Command` && dynamo.middlewareStack.remove("before next")) {
            await action();
          }
          return next(args);
        },
      { step: "initialize", name: "before next" },
    );
  }

  test("counts as deleted by this caller if only the response was lost", async () => {
    const thread = await storage.storeThread(1);
    const other = { ...newThread(), threadId: thread.threadId };
    storage.faults.fail("UpdateItem", responseLost);
    storage.faults.fail("UpdateItem", async (call) => {
      expect(await storage.sweepOne(thread)).toBe(true);
      await storage.threads.insertThread(TENANT, other, undefined);
      return conflict(call);
    });
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ generation: other.generation });
  });

  test("counts as deleted by another caller if this caller's only attempt was rejected", async () => {
    const thread = await storage.storeThread(1);
    storage.faults.fail("UpdateItem", async (call) => {
      await storage.remove(thread);
      return conflict(call);
    });
    expect(await storage.remove(thread)).toBe(false);
  });
});

test("a sweep that finishes a caller's deletion leaves the caller's result as it is", async () => {
  const thread = await storage.storeThread(3);
  const sweepIt = () => storage.sweepOne(thread);
  storage.faults.fail(
    "BatchWriteItem",
    after(async () => expect(await sweepIt()).toBe(true)),
  );
  expect(await storage.remove(thread)).toBe(true);
  expect(await storage.threadItems(thread.threadId)).toEqual([]);
});

describe("an interrupted deletion", () => {
  beforeEach(() => storage.clear());

  test("leaves no metadata and no idempotency record of the creation on the thread's own item", async () => {
    const thread = await storage.storeThread(1);
    const more = { creationRecord: "test-tenant#idempotency#post-threads#key", metadata: '{"source":"test"}' };
    await storage.seed({ ...(await storage.threadItem(thread)), ...more });
    storage.faults.fail("BatchWriteItem", requestLost, 3);
    await expect(storage.remove(thread)).rejects.toThrow();
    const item = (await storage.threadItems(thread.threadId)).at(-1);
    expect(item).toMatchObject({ sk: "~thread", deleting: true });
    expect(item).not.toHaveProperty("creationRecord");
    expect(item).not.toHaveProperty("metadata");
  });
});

describe("with a failing database", () => {
  beforeEach(retryWithoutWaiting);

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
});

describe("a turn that began before its thread expired", () => {
  beforeEach(retryWithoutWaiting);

  /** A thread that has expired since the turn began. */
  async function expiredThread(): Promise<Thread> {
    const thread = await storage.storeThread(1);
    stopClockAt(Date.parse(thread.expiresAt) + 1);
    return thread;
  }

  /** Commits the turn while a call is in transit, and keeps the outcome. */
  function meanwhile(thread: Thread) {
    const committed: (Thread | undefined)[] = [];
    return { committed, fault: after(async () => void committed.push(await storage.commit(thread, turn(1)))) };
  }

  test("is not stored if the sweep was first", async () => {
    const thread = await expiredThread();
    expect(await storage.sweepOne(thread)).toBe(true);
    expect(await storage.commit(thread, turn(1))).toBeUndefined();
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("is not stored while the sweep deletes, and leaves it nothing to delete again", async () => {
    const thread = await expiredThread();
    const { committed, fault } = meanwhile(thread);
    storage.faults.fail("BatchWriteItem", fault);
    expect(await storage.sweepOne(thread)).toBe(true);
    expect(committed).toEqual([undefined]);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("keeps its thread if it was first, while the sweep's write was in transit", async () => {
    const thread = await expiredThread();
    storage.faults.fail("UpdateItem", meanwhile(thread).fault);
    expect(await storage.sweepOne(thread)).toBe(false);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ messageCount: 4 });
  });

  test("is not stored after a deletion, although the thread had expired for it, and the sweep deletes the rest", async () => {
    const thread = await expiredThread();
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.commit(thread, turn(1))).toBeUndefined();
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.sweepOne(thread)).toBe(true);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
    const events = (await storage.eventItems()).filter(({ generation }) => generation === thread.generation);
    expect(events).toMatchObject([{ type: "thread.expired" }]);
  });

  test("is deleted with its thread if the deletion was in transit", async () => {
    const thread = await expiredThread();
    storage.faults.fail("UpdateItem", meanwhile(thread).fault);
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });

  test("is not stored after a deletion whose response was lost", async () => {
    const thread = await expiredThread();
    storage.faults.fail("UpdateItem", responseLost);
    expect(await storage.remove(thread)).toBe(false);
    expect(await storage.commit(thread, turn(1))).toBeUndefined();
    expect(await storage.sweepOne(thread)).toBe(true);
  });
});
