import { expect } from "@jest/globals";
import { ulid } from "ulid";
import { config } from "../../../shared/config.ts";
import {
  eventsPartition,
  handoffTaskKey,
  libraryKey,
  webhookCountKey,
  webhooksPartition,
} from "../../../shared/dynamo/keys.ts";
import { readItem } from "../../../shared/dynamo/query.ts";
import { retries } from "../../../shared/dynamo/retries.ts";
import { transact } from "../../../shared/dynamo/transact.ts";
import { fanOut } from "../../../shared/events/delivery-repository.ts";
import { recordEvent } from "../../../shared/events/outbox.ts";
import type { Webhook } from "../../../shared/events/webhook.ts";
import { insertWebhook, removeWebhook, rotateSecret } from "../../../shared/events/webhook-repository.ts";
import type { Counter } from "../../../shared/feedback/counter.ts";
import type { Rating } from "../../../shared/feedback/feedback.ts";
import { deleteFeedback, storeFeedback } from "../../../shared/feedback/feedback-repository.ts";
import type { StoredSource } from "../../../shared/sources/source.ts";
import { deleteSource, readStoredSources, writeSource } from "../../../shared/sources/source-repository.ts";
import { type Tenant, tenantNamed } from "../../../shared/tenant.ts";
import { checkRequest, holdThread, returnThread } from "../../../shared/threads/handoff-repository.ts";
import { readStopped, stop } from "../../../shared/threads/idempotency-record-repository.ts";
import type { Thread } from "../../../shared/threads/thread.ts";
import { TENANT } from "../caller.ts";
import type { Item } from "./database.ts";
import type { Storage } from "./storage.ts";
import { expectSoundThread, type PreparedPath, type WritePath } from "./write-paths.ts";

/** The paths that write for a person's hold on a thread, feedback, sources, webhooks and events. */
export const ADDED_WRITE_PATHS: Record<string, WritePath> = {
  "taking a thread over": async (storage) => {
    const thread = await storage.storeThread();
    return repeatable({
      run: async () => (await holdThread(TENANT, thread.threadId, "Ana"))?.hold.by,
      result: "Ana",
      expectDone: async () => expect(await storage.threadItem(thread)).toMatchObject({ heldBy: "Ana", holds: 1 }),
    });
  },
  "giving a thread back": async (storage) => {
    const thread = await storage.storeThread();
    await holdThread(TENANT, thread.threadId, null);
    return repeatable({
      run: async () => (await returnThread(TENANT, thread.threadId))?.holds,
      result: 1,
      expectDone: async () => expect(await storage.threadItem(thread)).not.toHaveProperty("heldSince"),
    });
  },
  "stopping a turn": async (storage) => {
    const thread = await storage.storeThread();
    return repeatable({
      run: () => stop(TENANT, thread, "a-key"),
      result: "stopping",
      expectDone: async () => expect(await readStopped(TENANT, thread, "a-key")).toBe(true),
    });
  },
  "a person's message": async (storage) => {
    const thread = await storage.storeThread(1);
    const held = (await holdThread(TENANT, thread.threadId, "Ana")) as Thread;
    const message = { author: "Ana", content: "hello" };
    return {
      run: async () => (await storage.commit(held, message))?.messageCount,
      result: 3,
      expectDone: async () => {
        expect(await storage.threadItem(thread)).toMatchObject({ messageCount: 3, personMessages: 1, version: 1 });
        expect(await storage.threads.readConversation(TENANT, thread.threadId)).toMatchObject({ turns: [{}, message] });
      },
      expectSound: () => expectSoundThread(storage, thread),
    };
  },
  "recording that nobody has taken over": async (storage) => {
    const thread = await storage.storeThread();
    const past = new Date(0).toISOString();
    const task = handoffTaskKey(TENANT, thread.threadId, thread.generation);
    await storage.seed({ ...(await storage.threadItem(thread)), answerBy: past }, { ...task, sweepAt: past });
    return repeatable({
      run: () => checkRequest(TENANT, thread.threadId, thread.generation),
      result: undefined,
      expectDone: async () => {
        expect(await storage.threadItems(thread.threadId)).toMatchObject([{ unanswered: true }]);
        expect(await eventTypes(storage, thread)).toEqual(["handoff.unanswered"]);
      },
    });
  },
  "feedback on an answer": feedbackPath(undefined, "bad"),
  "other feedback on an answer": feedbackPath("good", "bad"),
  "withdrawing feedback": feedbackPath("good", undefined),
  "storing a source": sourcePath(undefined, newSource("Open from 8.")),
  "replacing a source": sourcePath(newSource("Open from 8."), newSource("Closed.")),
  "deleting a source": sourcePath(newSource("Open from 8."), undefined),
  "creating a webhook": async (storage) => {
    const { tenant, webhook } = newWebhook();
    return repeatable({
      run: () => insertWebhook(tenant, webhook),
      result: true,
      expectDone: () => expectWebhooks(storage, tenant, [{ secret: webhook.secret }]),
    });
  },
  "replacing a webhook's secret": async (storage) => {
    const { tenant, webhook } = newWebhook();
    await insertWebhook(tenant, webhook);
    return repeatable({
      run: () => rotateSecret(tenant, webhook.id, "whsec_new", "2030-01-01T00:00:00.000Z"),
      result: true,
      expectDone: () => expectWebhooks(storage, tenant, [{ secret: "whsec_new", previousSecret: webhook.secret }]),
    });
  },
  "deleting a webhook": async (storage) => {
    const { tenant, webhook } = newWebhook();
    await insertWebhook(tenant, webhook);
    return repeatable({
      run: () => removeWebhook(tenant, webhook.id),
      result: true,
      expectDone: () => expectWebhooks(storage, tenant, []),
    });
  },
  "turning an event into deliveries": async (storage) => {
    const { tenant, webhook } = newWebhook();
    const event = recordEvent(tenant, { type: "patient.erased", patientId: "an-id" }, Date.now());
    await transact(() => ({ event }), retries({ attempts: 0 }));
    const { pk, sk } = { ...event.Put?.Item } as { pk: string; sk: string };
    const shard = Number(pk.split("#").at(-1));
    const ofTenant = async () => (await storage.eventItems()).filter((item) => String(item.pk).startsWith(tenant));
    return repeatable({
      run: () => fanOut({ tenant, shard, eventId: sk }, [webhook]),
      result: [expect.objectContaining({ tenant, webhookId: webhook.id, eventId: sk })],
      expectDone: async () => {
        const [deliveries, events] = partition(await ofTenant(), (item) => String(item.sk).startsWith("delivery#"));
        expect(deliveries).toMatchObject([{ sk: `delivery#${sk}`, shard, attempts: 0, dueAt: expect.any(String) }]);
        expect(events).toEqual([expect.not.objectContaining({ dueAt: expect.anything() })]);
        expect(events[0]?.pk).toBe(eventsPartition(tenant, shard));
      },
    });
  },
};

/** A path that may be run again after an interruption, with the same result in the database. */
function repeatable(path: Omit<PreparedPath, "expectSound">): PreparedPath {
  const expectSound = async () => {
    await path.run();
    await path.expectDone();
  };
  return { ...path, expectSound };
}

/** @param before the rating of earlier feedback, if there is any; `after` is undefined for a withdrawal */
function feedbackPath(before: Rating | undefined, after: Rating | undefined): WritePath {
  return async (storage) => {
    const thread = await storage.storeThread(1);
    const instructions = ulid(); // by which the counts of this run are found
    const values = { model: null, instructions, level: "none", language: "en", length: "short" } as const;
    const give = async (rating: Rating) => {
      const counter: Counter = { day: "2030-01-01", rating, ...values };
      const event = { type: "feedback.created", threadId: thread.threadId, generation: thread.generation } as const;
      const given = { rating, reasons: [], comment: null };
      return (await storeFeedback(TENANT, thread, 0, given, counter, event)).kind;
    };
    if (before) {
      await give(before);
    }
    return repeatable({
      run: () => (after ? give(after) : deleteFeedback(TENANT, thread, 0)),
      result: after ? "stored" : true,
      expectDone: async () => {
        const items = await storage.threadItems(thread.threadId);
        const entries = items.filter(({ sk }) => String(sk).startsWith("feedback#"));
        expect(entries.map(({ rating }) => rating)).toEqual(after ? [after] : []);
        const counts = (await storage.feedbackItems()).map(({ counted, count }) => ({
          ...(counted as Counter),
          count,
        }));
        const ours = counts.filter((one) => one.instructions === instructions);
        expect(Object.fromEntries(ours.map(({ rating, count }) => [rating, count]))).toEqual({
          ...(before && { [before]: 0 }),
          ...(after && { [after]: 1 }),
        });
        expect(await eventTypes(storage, thread)).toEqual(["feedback.created"]);
      },
    });
  };
}

function newSource(text: string): StoredSource {
  const bytes = Buffer.byteLength(text);
  return { id: "hours", title: "Hours", text, bytes, revision: ulid(), updatedAt: new Date().toISOString() };
}

/** @param after undefined for a deletion */
function sourcePath(before: StoredSource | undefined, after: StoredSource | undefined): WritePath {
  return async () => {
    const tenant = newTenant();
    if (before) {
      await writeSource(tenant, undefined, before);
    }
    return repeatable({
      run: () => (after ? writeSource(tenant, before, after) : deleteSource(tenant, before as StoredSource)),
      result: "written",
      expectDone: async () => {
        expect(await readStoredSources(tenant)).toEqual(after ? [after] : []);
        const library = await readItem(config.sourcesTable, libraryKey(tenant));
        expect(library).toMatchObject(after ? { sources: 1, bytes: after.bytes } : { sources: 0, bytes: 0 });
      },
    });
  };
}

async function eventTypes(storage: Storage, { generation }: Thread): Promise<unknown[]> {
  const events = (await storage.eventItems()).filter((item) => item.generation === generation);
  return events.map(({ type }) => type);
}

function newTenant(): Tenant {
  return tenantNamed(`tenant-${ulid().toLowerCase()}`);
}

/** A webhook that is not stored yet, of a tenant of its own, because the number of a tenant's webhooks is limited. */
function newWebhook(): { tenant: Tenant; webhook: Webhook } {
  const id = ulid().toLowerCase();
  const createdAt = new Date().toISOString();
  const webhook: Webhook = {
    id: `wh_${id}`,
    url: "https://example.com/",
    events: ["patient.erased"],
    createdAt,
    secret: id,
  };
  return { tenant: newTenant(), webhook };
}

/** Asserts that a tenant has exactly these webhooks, and that as many are counted. */
async function expectWebhooks(storage: Storage, tenant: Tenant, expected: Item[]): Promise<void> {
  const items = (await storage.eventItems()).filter(({ pk }) => pk === webhooksPartition(tenant));
  const [counts, stored] = partition(items, ({ sk }) => sk === webhookCountKey(tenant).sk);
  expect(stored).toMatchObject(expected);
  expect(counts).toMatchObject([{ webhooks: expected.length }]);
}

function partition(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
