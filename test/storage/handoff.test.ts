import { clinicOfStage } from "../../shared/clinic.ts";
import { listMessages } from "../../shared/threads/list-messages.ts";
import "../helpers/service/help-lines.ts";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { planHandoff } from "../../shared/chat/handoff.ts";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import type { Webhook } from "../../shared/events/webhook.ts";
import { enable, insertWebhook, noteFailure } from "../../shared/events/webhook-repository.ts";
import { addMessage } from "../../shared/handoff/add-message.ts";
import * as handoff from "../../shared/threads/handoff-repository.ts";
import type { Thread, Turn } from "../../shared/threads/thread.ts";
import { newContext, TENANT } from "../helpers/caller.ts";
import { newThread, retryWithoutWaiting, stopClockAt, turn } from "../helpers/database/database.ts";
import { after, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { captureMetrics } from "../helpers/service/metrics.ts";

const storage = setUpStorage();
beforeEach(async () => {
  process.env.HANDOFF_MINUTES = "10";
  await storage.clear();
  retryWithoutWaiting();
});

const MINUTE = 60_000;
const BY_ANA: Turn = { author: "Ana", content: "hello" };

const hold = ({ threadId }: Thread, by: string | null = "Ana") => handoff.holdThread(TENANT, threadId, by);
const giveBack = ({ threadId }: Thread) => handoff.returnThread(TENANT, threadId);
const stored = async ({ threadId }: Thread) => (await storage.threads.readThread(TENANT, threadId)) as Thread;
const commit = (thread: Thread, what: Turn, change?: Parameters<typeof storage.commit>[2]) =>
  storage.turns.commitTurn(TENANT, thread, what, Date.now() + 15_000, change);
const events = async () => (await storage.eventItems()).map(({ type, level, threadId }) => ({ type, level, threadId }));
const tasks = async ({ threadId }: Thread) =>
  (await storage.threadItems(threadId)).filter(({ sk }) => String(sk).startsWith("handoff#"));

/** Commits an answer that requests a person within ten minutes. */
function request(thread: Thread, promised = true) {
  const opens = { answerBy: Date.now() + 10 * MINUTE, promised, reason: "asked" as const };
  return commit(thread, turn(0), { handoff: { closes: false, opens } });
}

/** Runs a sweep at a time. */
async function sweepAt(time: number): Promise<void> {
  stopClockAt(time);
  await sweepThreads(() => 60_000);
}

describe("a hold", () => {
  test("that is repeated just when the thread is given back begins anew", async () => {
    const thread = await storage.storeThread();
    await hold(thread);
    storage.faults.fail(
      "GetItem",
      after(() => giveBack(thread)),
    );
    expect(await hold(thread)).toMatchObject({ hold: { by: "Ana" }, holds: 2 });
  });

  test("that nobody else may have goes to one of two at once, and back to the same one if the response is lost", async () => {
    const thread = await storage.storeThread();
    const names = ["Ana", "Ben"];
    const take = (by: string) => handoff.holdThread(TENANT, thread.threadId, by, true);
    const holders = (await Promise.all(names.map(take))).map((held) => held?.hold.by);
    expect(names).toContain(holders[0]);
    expect(holders[1]).toBe(holders[0]);
    expect(await stored(thread)).toMatchObject({ hold: { by: holders[0] }, holds: 1 });
    const other = await storage.storeThread();
    storage.faults.fail("UpdateItem", responseLost);
    expect((await handoff.holdThread(TENANT, other.threadId, "Ana", true))?.hold.by).toBe("Ana");
  });

  test("does not bring back a thread that has expired or is being deleted", async () => {
    const [expired, deleted] = [await storage.storeThread(), await storage.storeThread()];
    await storage.markDeleting(deleted);
    stopClockAt(Date.parse(expired.expiresAt));
    for (const thread of [expired, deleted]) {
      const before = await storage.threadItems(thread.threadId);
      expect([await hold(thread), await giveBack(thread)]).toEqual([undefined, undefined]);
      expect(await storage.threadItems(thread.threadId)).toEqual(before);
    }
  });
});

describe("a person's message", () => {
  test("has the ID of its own place, even if another message came first", async () => {
    const thread = await storage.storeThread(1);
    const held = (await hold(thread)) as Thread;
    storage.faults.fail("TransactWriteItems", async ({ forward }) => {
      await commit(held, BY_ANA);
      return forward();
    });
    const { body } = await addMessage(newContext(), thread.threadId, { content: "bye", author: "Ben" });
    expect(body.messageCount).toBe(4);
    const { messages } = await listMessages(newContext(), thread.threadId, { limit: 1, before: undefined });
    expect(messages).toEqual([body.message]);
  });

  test("does not displace others of the last 20 messages", async () => {
    const thread = await storage.storeThread(20);
    let held = (await hold(thread)) as Thread;
    for (const count of [1, 2, 3, 13]) {
      for (let added = held.personMessages ?? 0; added < count; added++) {
        const committed = await commit(held, BY_ANA);
        held = committed.kind === "committed" ? committed.thread : held;
      }
      const turns = (await storage.threads.readConversation(TENANT, thread.threadId))?.turns ?? [];
      const messages = turns.reduce((sum, { author }) => sum + (author === undefined ? 2 : 1), 0);
      expect([20, 21]).toContain(messages);
    }
  });
});

describe("a person's message with an idempotency key", () => {
  const MESSAGE = { content: "hello", author: "Ana" };
  let thread: Thread;
  beforeEach(async () => {
    thread = await storage.storeThread(1);
    await hold(thread);
  });

  const write = (body = MESSAGE, key = "key") => addMessage(newContext(), thread.threadId, body, key);
  const records = async () =>
    (await storage.threadItems(thread.threadId)).filter(({ sk }) => String(sk).startsWith("idempotency#"));

  test("that is committed twice at once is added once, with one response", async () => {
    let other: unknown;
    const meanwhile = after(async () => {
      other = await write();
    });
    storage.faults.fail("TransactWriteItems", meanwhile);
    expect(await write()).toEqual({ ...(other as object), replayed: true });
    const bodies = await Promise.all([1, 2, 3, 4].map(async () => (await write(MESSAGE, "another")).body));
    expect(new Set(bodies.map(({ message }) => message.id)).size).toBe(1);
    expect(await stored(thread)).toMatchObject({ messageCount: 4, personMessages: 2 });
  });

  test("leaves no record if it is refused", async () => {
    await giveBack(thread);
    await expect(write()).rejects.toMatchObject({ kind: "conflict" });
    expect(await records()).toEqual([]);
  });

  test("is not recognized on a new thread with the id of its own", async () => {
    await write();
    await storage.remove(thread);
    await storage.threads.insertThread(TENANT, { ...newThread(), threadId: thread.threadId }, undefined);
    await expect(write()).rejects.toMatchObject({ kind: "conflict" });
  });
});

describe("a request for a person", () => {
  test("is recorded with its answer, and ends when a person takes over", async () => {
    const thread = await storage.storeThread();
    await request(thread);
    const asked = { requestReason: "asked", requestedAt: expect.any(String) };
    expect(await stored(thread)).toMatchObject({ answerBy: expect.any(String), promised: true, ...asked });
    expect(await hold(thread)).not.toMatchObject({ answerBy: expect.anything() });
    await sweepAt(Date.now() + 20 * MINUTE);
    expect(await events()).toEqual([{ type: "handoff.requested", threadId: thread.threadId }]);
    expect(await tasks(thread)).toEqual([]);
  });

  test.each([
    [undefined, {}],
    [{ isOpen: true } as const, { open: true }],
    [
      { isOpen: false, opensAt: Date.UTC(2026, 11, 1, 8) } as const,
      { open: false, opensAt: "2026-12-01T08:00:00.000Z" },
    ],
  ])("has an event that says whether the clinic is open: %j", async (opening, expected) => {
    const thread = await storage.storeThread();
    const opens = { answerBy: Date.now() + 10 * MINUTE, promised: true, reason: "asked" as const, opening };
    await commit(thread, turn(0), { handoff: { closes: false, opens } });
    const [event] = await storage.eventItems();
    const { open, opensAt } = event ?? {};
    expect({ open, opensAt }).toEqual({ open: undefined, opensAt: undefined, ...expected });
  });

  test("is not recorded for an answer that was dropped", async () => {
    const thread = await storage.storeThread();
    await hold(thread);
    expect(await request(thread)).toMatchObject({ kind: "taken-over" });
    expect([await events(), await tasks(thread)]).toEqual([[], []]);
  });

  test("that nobody has answered in time is reported and counted once, by the sweep or by the next answer", async () => {
    const written = captureMetrics();
    const [swept, answered] = [await storage.storeThread(), await storage.storeThread()];
    await request(swept, false);
    await request(answered);
    const overdue = Date.now() + 10 * MINUTE;
    stopClockAt(overdue);
    await commit(await stored(answered), turn(1), { handoff: { closes: true, opens: undefined } });
    await sweepAt(Date.now() + 10 * MINUTE);
    await sweepAt(Date.now() + 1);
    const unanswered = (await events()).filter(({ type }) => type === "handoff.unanswered");
    expect(unanswered.map(({ threadId }) => threadId).sort()).toEqual([swept.threadId, answered.threadId].sort());
    expect(await stored(swept)).toMatchObject({ unanswered: true });
    await commit(await stored(swept), turn(1), { handoff: { closes: true, opens: undefined } });
    const { answerBy, promised, requestReason, requestedAt } = await stored(swept);
    expect([answerBy, promised, requestReason, requestedAt]).toEqual(new Array(4).fill(undefined));
    expect((await events()).filter(({ type }) => type === "handoff.unanswered")).toHaveLength(2);
    const counted = written().filter(({ name }) => name === "UnansweredHandoffs");
    expect(counted.map(({ dimensions, value }) => [dimensions.told, value])).toEqual([
      ["yes", 1],
      ["no", 1],
    ]);
  });

  test("is not reported before its time, nor for a thread that is gone", async () => {
    const [early, gone] = [await storage.storeThread(), await storage.storeThread()];
    await request(early);
    await request(gone);
    await sweepAt(Date.now() + 9 * MINUTE);
    expect(await tasks(early)).toHaveLength(1);
    await storage.remove(gone);
    expect(await storage.threadItems(gone.threadId)).toEqual([]);
    await handoff.checkRequest(TENANT, gone.threadId, gone.generation);
    expect(await storage.threadItems(gone.threadId)).toEqual([]);
    expect((await events()).map(({ type }) => type)).toEqual(["handoff.requested", "handoff.requested"]);
  });

  test.each<[string, (thread: Thread) => Promise<unknown>]>([
    ["the thread is deleted", (thread) => storage.markDeleting(thread)],
    [
      "a new request replaces it",
      async (thread) => {
        await hold(thread);
        await giveBack(thread);
        await request(await stored(thread));
      },
    ],
  ])("is neither reported nor counted if %s at that moment", async (_, event) => {
    const thread = await storage.storeThread();
    await request(thread);
    stopClockAt(Date.now() + 20 * MINUTE);
    const written = captureMetrics();
    storage.faults.fail(
      "TransactWriteItems",
      after(() => event(thread)),
    );
    await handoff.checkRequest(TENANT, thread.threadId, thread.generation);
    expect((await events()).filter(({ type }) => type === "handoff.unanswered")).toEqual([]);
    expect(written()).toEqual([]);
  });

  test("that replaces an earlier one is checked at its own time", async () => {
    const start = Date.now();
    stopClockAt(start);
    const thread = await storage.storeThread();
    await request(thread);
    await hold(thread);
    await giveBack(thread);
    stopClockAt(start + 5 * MINUTE);
    const opens = { answerBy: Date.now() + 20 * MINUTE, promised: true, reason: "asked" as const };
    await commit(await stored(thread), turn(1), { handoff: { closes: false, opens } });
    stopClockAt(start + 12 * MINUTE);
    await handoff.checkRequest(TENANT, thread.threadId, thread.generation);
    expect(await tasks(thread)).toHaveLength(1);
    expect(await stored(thread)).not.toMatchObject({ unanswered: true });
  });

  test("is promised to be heard, also later, as soon as an active webhook receives it", async () => {
    const thread = { ...(await storage.storeThread()), answerBy: new Date(Date.now() + MINUTE).toISOString() };
    const plan = async () => {
      const need = { alert: undefined, signal: "asked" } as const;
      return (await planHandoff(newContext(), clinicOfStage(), thread, need, "en")).change.opens?.promised;
    };
    expect(await plan()).toBeUndefined(); // the request is open already
    const webhook: Webhook = {
      id: "wh_1",
      url: "https://example.com",
      events: ["handoff.requested"],
      secret: "whsec_",
      createdAt: new Date().toISOString(),
    };
    await insertWebhook(TENANT, webhook);
    expect(await plan()).toBe(true);
    await noteFailure(TENANT, webhook.id, "gone", webhook.createdAt);
    expect(await plan()).toBeUndefined();
    await enable(TENANT, webhook.id);
    expect(await plan()).toBe(true);
  });
});
