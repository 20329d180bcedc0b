import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Reservation } from "../../shared/threads/reservation-repository.ts";
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
import { after, answerLost, conflict, throttled } from "../helpers/database/faulty-dynamodb.ts";

let database: TestDatabase;
let reservations: typeof import("../../shared/threads/reservation-repository.ts");
let threads: typeof import("../../shared/threads/thread-repository.ts");
let removal: typeof import("../../shared/threads/thread-removal-repository.ts");
let thread: Thread;
beforeAll(async () => {
  database = await startTestDatabase();
  reservations = await import("../../shared/threads/reservation-repository.ts");
  threads = await import("../../shared/threads/thread-repository.ts");
  removal = await import("../../shared/threads/thread-removal-repository.ts");
});
beforeEach(async () => {
  thread = await storeThread();
});
afterEach(() => {
  database.faults.reset();
  jest.useRealTimers();
  jest.restoreAllMocks();
});
afterAll(() => database.stop());

async function storeThread(): Promise<Thread> {
  const stored = newThread();
  expect(await threads.insertThread(stored, undefined)).toBe(true);
  return (await threads.readThread(stored.threadId)) as Thread;
}

/** A hold that a request wants, for a minute. */
function hold(key = "key-1"): Reservation {
  return { key, bodyHash: `hash of ${key}`, holder: randomUUID(), leaseUntil: Date.now() + 60_000 };
}

const stored = ({ threadId }: Thread) => database.threadItems(threadId);
const commit = (number: number, reservation: Reservation) =>
  threads.commitTurn(thread, turn(number), inTime(), reservation);

describe("a key", () => {
  test("that nobody has is free; once reserved it is pending, once committed answered", async () => {
    const ours = hold();
    const { bodyHash } = ours;
    expect(await reservations.readKeyState(thread, ours.key)).toEqual({ kind: "free" });
    expect(await reservations.reserve(thread, ours)).toEqual({ kind: "free" });
    expect(await reservations.readKeyState(thread, ours.key)).toEqual({ kind: "pending", bodyHash });
    expect(await reservations.reserve(thread, hold())).toEqual({ kind: "pending", bodyHash });

    await threads.commitTurn(thread, turn(0), inTime());
    expect(await commit(1, ours)).toMatchObject({ messageCount: 4 });
    const answered = { kind: "answered", bodyHash, turnNumber: 1 };
    expect(await reservations.readKeyState(thread, ours.key)).toEqual(answered);
    expect(await reservations.reserve(thread, hold())).toEqual(answered);
    expect(await threads.readTurn(thread, 1)).toEqual(turn(1));
  });

  test("is another one in another thread, and beside another key", async () => {
    const other = await storeThread();
    expect(await reservations.reserve(thread, hold())).toEqual({ kind: "free" });
    expect(await reservations.reserve(thread, hold("key-2"))).toEqual({ kind: "free" });
    expect(await reservations.reserve(other, hold())).toEqual({ kind: "free" });
  });

  test("is in nobody's way when a conversation is read", async () => {
    for (let number = 0; number < 12; number++) {
      const ours = hold(`key-${number}`);
      await reservations.reserve(thread, ours);
      await commit(number, ours);
    }
    const conversation = await threads.readConversation(thread.threadId);
    expect(conversation?.turns).toEqual(Array.from({ length: 10 }, (_, index) => turn(index + 2)));
  });

  test("reserved by ten at once goes to one of them", async () => {
    for (let round = 0; round < 5; round++) {
      const holds = Array.from({ length: 10 }, () => hold(`key-${round}`));
      const states = await Promise.all(holds.map((one) => reservations.reserve(thread, one)));
      expect(states.filter((state) => state?.kind === "free")).toHaveLength(1);
      expect(states.filter((state) => state?.kind === "pending")).toHaveLength(9);
      const winner = holds[states.findIndex((state) => state?.kind === "free")];
      expect((await stored(thread)).find(({ sk }) => String(sk).endsWith(`key-${round}`))).toMatchObject({
        holder: winner?.holder,
      });
    }
  });

  test.each([
    ["a transaction that touches the thread just then", conflict],
    ["a database that is short of capacity", throttled],
    ["an answer that is lost", answerLost],
  ])("is reserved in spite of %s", async (_, fault) => {
    retryWithoutWaiting();
    database.faults.fail("TransactWriteItems", fault);
    const ours = hold();
    expect(await reservations.reserve(thread, ours)).toEqual({ kind: "free" });
    expect(await commit(0, ours)).toMatchObject({ messageCount: 2 });
    expect(await stored(thread)).toHaveLength(3);
  });

  test("is kept by a commit whose answer is lost, once", async () => {
    const ours = hold();
    await reservations.reserve(thread, ours);
    database.faults.fail("TransactWriteItems", answerLost);
    expect(await commit(0, ours)).toMatchObject({ messageCount: 2 });
    expect(await reservations.readKeyState(thread, ours.key)).toMatchObject({ kind: "answered", turnNumber: 0 });
  });
});

describe("a lease that has ended", () => {
  const leaveAlone = async () => {
    const old = hold();
    await reservations.reserve(thread, old);
    stopClockAt(old.leaseUntil + 1);
    return old;
  };

  test("leaves the key free for another, and not a moment before", async () => {
    const old = hold();
    await reservations.reserve(thread, old);
    stopClockAt(old.leaseUntil);
    expect(await reservations.reserve(thread, hold())).toMatchObject({ kind: "pending" });
    expect(await reservations.readKeyState(thread, old.key)).toMatchObject({ kind: "pending" });
    stopClockAt(old.leaseUntil + 1);
    expect(await reservations.readKeyState(thread, old.key)).toEqual({ kind: "free" });
    expect(await reservations.reserve(thread, hold())).toEqual({ kind: "free" });
  });

  test("and was taken over makes the old holder's commit fail, which stores nothing", async () => {
    const old = await leaveAlone();
    const next = hold();
    await reservations.reserve(thread, next);
    const before = await stored(thread);
    await expect(commit(0, old)).rejects.toThrow("ConditionalCheckFailed");
    expect(await stored(thread)).toEqual(before);
    expect(await commit(1, next)).toMatchObject({ messageCount: 2 });
    expect(await threads.readTurn(thread, 0)).toEqual(turn(1));
  });

  test("and was taken over and committed under makes the old holder's commit fail as well", async () => {
    const old = await leaveAlone();
    const next = hold();
    await reservations.reserve(thread, next);
    await commit(0, next);
    const before = await stored(thread);
    await expect(commit(1, old)).rejects.toThrow("ConditionalCheckFailed");
    expect(await stored(thread)).toEqual(before);
  });

  test("but was not taken over lets its holder commit", async () => {
    const old = await leaveAlone();
    expect(await commit(0, old)).toMatchObject({ messageCount: 2 });
  });

  test("is taken over by one of two that come at once", async () => {
    await leaveAlone();
    const states = await Promise.all([reservations.reserve(thread, hold()), reservations.reserve(thread, hold())]);
    expect(states.map((state) => state?.kind).sort()).toEqual(["free", "pending"]);
  });

  test("never opens a key that has been answered", async () => {
    const ours = hold();
    await reservations.reserve(thread, ours);
    await commit(0, ours);
    stopClockAt(ours.leaseUntil + 1);
    expect(await reservations.reserve(thread, hold())).toMatchObject({ kind: "answered", turnNumber: 0 });
  });
});

describe("a key that is given up", () => {
  test("is free for another", async () => {
    const ours = hold();
    await reservations.reserve(thread, ours);
    await reservations.release(thread, ours);
    expect(await stored(thread)).toHaveLength(1);
    expect(await reservations.reserve(thread, hold())).toEqual({ kind: "free" });
  });

  test.each(["by its holder after it was answered", "by one who does not hold it"])(
    "%s stays as it is",
    async (who) => {
      const ours = hold();
      await reservations.reserve(thread, ours);
      if (who.startsWith("by its holder")) {
        await commit(0, ours);
      }
      const before = await stored(thread);
      const giver = who.startsWith("by its holder") ? ours : hold();
      await expect(reservations.release(thread, giver)).rejects.toMatchObject({
        name: "ConditionalCheckFailedException",
      });
      expect(await stored(thread)).toEqual(before);
    },
  );
});

describe("a thread that is gone", () => {
  const remove = () => removal.removeThread(thread.threadId, "active");

  test.each<[string, () => unknown]>([
    ["deleted", remove],
    ["expired", () => stopClockAt(thread.expiresAt)],
    [
      "being deleted",
      async () => {
        const [item = {}] = await stored(thread);
        await database.seed({ ...item, deleting: true });
      },
    ],
    [
      "deleted, its id given out again",
      async () => {
        await remove();
        await threads.insertThread({ ...newThread(), threadId: thread.threadId }, undefined);
      },
    ],
  ])("because it is %s takes no reservation, and nothing is written", async (_, goes) => {
    await goes();
    const before = await stored(thread);
    expect(await reservations.reserve(thread, hold())).toBeUndefined();
    expect(await stored(thread)).toEqual(before);
  });

  test("takes its keys with it, pending and answered", async () => {
    const ours = hold();
    await reservations.reserve(thread, ours);
    await commit(0, ours);
    await reservations.reserve(thread, hold("key-2"));
    expect(await remove()).toBe(true);
    expect(await stored(thread)).toEqual([]);
    await expect(commit(1, hold("key-2"))).resolves.toBeUndefined();
    expect(await stored(thread)).toEqual([]);
  });

  test("takes a reservation with it that came between the deletion's look and its write", async () => {
    const reserve = after(async () => {
      expect(await reservations.reserve(thread, hold())).toEqual({ kind: "free" });
    });
    database.faults.fail("TransactWriteItems", reserve);
    expect(await remove()).toBe(true);
    expect(await stored(thread)).toEqual([]);
  });

  test("leaves nothing behind, in whatever order deletion and reservations come", async () => {
    for (let round = 0; round < 40; round++) {
      thread = await storeThread();
      const keys = Array.from({ length: 3 }, (_, index) => hold(`key-${index}`));
      const deletion = async () => {
        await new Promise((resolve) => setTimeout(resolve, round % 4));
        return remove();
      };
      const [removed, ...states] = await Promise.all([
        deletion(),
        ...keys.map((one) => reservations.reserve(thread, one)),
      ]);
      expect(removed).toBe(true);
      for (const state of states) {
        expect([undefined, { kind: "free" }]).toContainEqual(state);
      }
      expect(await stored(thread)).toEqual([]);
    }
  });
});
