import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Reservation } from "../../shared/threads/idempotency-record-repository.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { TENANT } from "../helpers/caller.ts";
import { newThread, stopClockAt, turn } from "../helpers/database/database.ts";
import { after } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
let thread: Thread;
beforeEach(async () => {
  thread = await storage.storeThread();
});

/** A reservation for a minute by a unique holder. */
function hold(key = "key-1"): Reservation {
  return { key, bodyHash: `hash of ${key}`, holder: randomUUID(), leaseUntil: Date.now() + 60_000 };
}

const stored = ({ threadId }: Thread) => storage.threadItems(threadId);
const reserve = (reservation: Reservation) => storage.records.reserve(TENANT, thread, reservation);
const release = (reservation: Reservation) => storage.records.release(TENANT, thread, reservation);
const stateOf = (key: string) => storage.records.readKeyState(TENANT, thread, key);
const commit = (number: number, reservation: Reservation) => storage.commit(thread, turn(number), { reservation });

describe("a key", () => {
  test("has a TTL of a day after its reservation", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    thread = await storage.storeThread();
    await reserve(hold());
    const [record] = await stored(thread);
    expect(new Date(Number(record?.ttl) * 1000).toISOString()).toBe("2030-01-02T10:00:00.000Z");
  });
});

describe("an expired lease", () => {
  const leaveAlone = async () => {
    const old = hold();
    await reserve(old);
    stopClockAt(old.leaseUntil + 1);
    return old;
  };

  test("frees the key for another request, but not a millisecond early", async () => {
    const old = hold();
    await reserve(old);
    stopClockAt(old.leaseUntil);
    expect(await reserve(hold())).toMatchObject({ kind: "pending" });
    expect(await stateOf(old.key)).toMatchObject({ kind: "pending" });
    stopClockAt(old.leaseUntil + 1);
    expect(await stateOf(old.key)).toEqual({ kind: "free" });
    expect(await reserve(hold())).toEqual({ kind: "reserved" });
  });

  test("that was taken over makes the former holder's commit fail without storing anything", async () => {
    const old = await leaveAlone();
    const next = hold();
    await reserve(next);
    const before = await stored(thread);
    await expect(commit(0, old)).rejects.toThrow("ConditionalCheckFailed");
    expect(await stored(thread)).toEqual(before);
    expect(await commit(1, next)).toMatchObject({ messageCount: 2 });
    expect(await storage.turns.readTurn(TENANT, thread, 0)).toEqual({
      ...turn(1),
      messageCount: 2,
      at: expect.any(String),
    });
  });

  test("that was not taken over lets its holder commit", async () => {
    const old = await leaveAlone();
    expect(await commit(0, old)).toMatchObject({ messageCount: 2 });
  });

  test("is taken over by one of two parallel requests", async () => {
    await leaveAlone();
    const states = await Promise.all([reserve(hold()), reserve(hold())]);
    expect(states.map(({ kind }) => kind).sort()).toEqual(["pending", "reserved"]);
  });

  test("never frees an answered key", async () => {
    const ours = hold();
    await reserve(ours);
    await commit(0, ours);
    stopClockAt(ours.leaseUntil + 1);
    expect(await reserve(hold())).toMatchObject({ kind: "answered", turnNumber: 0 });
  });
});

describe("releasing a key", () => {
  test.each(["by its holder after it was answered", "by a request that does not hold it"])(
    "%s changes nothing",
    async (who) => {
      const ours = hold();
      await reserve(ours);
      if (who.startsWith("by its holder")) {
        await commit(0, ours);
      }
      const before = await stored(thread);
      const giver = who.startsWith("by its holder") ? ours : hold();
      await expect(release(giver)).rejects.toMatchObject({
        name: "ConditionalCheckFailedException",
      });
      expect(await stored(thread)).toEqual(before);
    },
  );
});

describe("a thread that does not exist", () => {
  const remove = () => storage.remove(thread);

  test.each<[string, () => unknown]>([
    ["deleted", remove],
    ["expired", () => stopClockAt(thread.expiresAt)],
    ["being deleted", () => storage.markDeleting(thread)],
    [
      "deleted and its id reused",
      async () => {
        await remove();
        await storage.threads.insertThread(TENANT, { ...newThread(), threadId: thread.threadId }, undefined);
      },
    ],
  ])("because it is %s accepts no reservation and stores nothing", async (_, goes) => {
    await goes();
    const before = await stored(thread);
    expect(await reserve(hold())).toEqual({ kind: "thread-gone" });
    expect(await stored(thread)).toEqual(before);
  });

  test("was deleted with a reservation made between the deletion's read and its write", async () => {
    const meanwhile = after(async () => expect(await reserve(hold())).toEqual({ kind: "reserved" }));
    storage.faults.fail("TransactWriteItems", meanwhile);
    expect(await remove()).toBe(true);
    expect(await stored(thread)).toEqual([]);
  });

  test("was deleted with its pending and answered keys", async () => {
    const ours = hold();
    await reserve(ours);
    await commit(0, ours);
    await reserve(hold("key-2"));
    expect(await remove()).toBe(true);
    expect(await stored(thread)).toEqual([]);
    await expect(commit(1, hold("key-2"))).resolves.toBeUndefined();
    expect(await stored(thread)).toEqual([]);
  });
});
