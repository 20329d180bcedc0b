import { expect, test } from "@jest/globals";
import { ulid } from "ulid";
import { exportPatient } from "../../shared/data-lifecycle/export-patient.ts";
import { listPatientThreads } from "../../shared/data-lifecycle/list-patient-threads.ts";
import { holdThread } from "../../shared/threads/handoff-repository.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { newThread, turn } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();

/** The messages of each thread that was found, the oldest first, by the thread's ID; a list has only their number. */
type Found = Map<string, { messageCount: number; messages?: string[] }>;

interface Scene {
  patientId: string;
  /** What was acknowledged, and is not deleted by {@link everythingElse}. */
  acknowledged: Found;
  /** The ID of a thread with two messages, which will belong to an empty thread of somebody else. */
  reusedId: string;
  /** Does all that clients and the sweep can do with the patient's threads at this moment. */
  everythingElse(): Promise<void>;
}

let lastCreation = Date.now() - 1_000_000;

/** Stores threads of a patient in every state; those that will change later are between the others in the list. */
async function createScene(): Promise<Scene> {
  const patient = newPatient(undefined);
  const patientId = patient.id;
  await storage.patients.insertPatient(CALLER, patient);
  const create = async (ofPatient: string | null, threadId = newThread().threadId) => {
    const thread = { ...newThread(), threadId, patientId: ofPatient, generation: ulid(++lastCreation) };
    await storage.threads.insertThread(TENANT, thread);
    return thread;
  };
  const fromAna = { author: "Ana", content: "a message from Ana" };

  const unbound = await create(null);
  const linked = await create(patientId);
  const expired = await create(patientId);
  const bound = await create(null);
  const deleted = await create(patientId);
  const held = await create(patientId);
  const linkedNow = (await storage.commit(linked, turn(0))) as Thread;
  await storage.commit(bound, turn(0), { patientId });
  await storage.commit(deleted, turn(0));
  await holdThread(TENANT, held.threadId, "Ana");
  const heldNow = (await storage.commit(held, fromAna)) as Thread;
  await storage.seed({ ...(await storage.threadItem(expired)), expiresAt: new Date(0).toISOString() });
  return {
    patientId,
    acknowledged: new Map([
      [linked.threadId, { messageCount: 2, messages: ["question 0", "answer 0"] }],
      [bound.threadId, { messageCount: 2, messages: ["question 0", "answer 0"] }],
      [held.threadId, { messageCount: 1, messages: [fromAna.content] }],
    ]),
    reusedId: deleted.threadId,
    everythingElse: async () => {
      await storage.commit(linkedNow, turn(1));
      await storage.commit(heldNow, fromAna);
      await storage.commit(unbound, turn(0), { patientId });
      await create(patientId);
      expect(await storage.sweepOne(expired)).toBe(true);
      expect(await storage.remove(deleted)).toBe(true);
      await create(null, deleted.threadId);
    },
  };
}

const READS: Record<string, (patientId: string) => Promise<Found>> = {
  "an export": async (patientId) => {
    const { threads } = await exportPatient(newContext(), patientId);
    return new Map(
      threads.map(({ threadId, messageCount, messages }) => [
        threadId,
        { messageCount, messages: messages.map(({ content }) => content).reverse() },
      ]),
    );
  },
  "a list of threads in pages of one": async (patientId) => {
    const found: Found = new Map();
    for (let hasMore = true, before: string | undefined; hasMore; ) {
      const page = await listPatientThreads(newContext(), patientId, { limit: 1, before });
      for (const { threadId, messageCount } of page.threads) {
        expect(found.has(threadId)).toBe(false);
        found.set(threadId, { messageCount });
      }
      ({ hasMore, next: before } = page);
    }
    return found;
  },
};

const isRead = ({ operation }: { operation: string }) => ["GetItem", "Query"].includes(operation);

test.each(Object.entries(READS))(
  "%s has everything that was acknowledged before, whatever happens between any two of its reads",
  async (_, read) => {
    let reads = 1;
    for (let place = 0; place < reads; place++) {
      const scene = await createScene();
      let [arrived, inconsistent, happening] = [0, 0, false];
      const between: Fault = async ({ operation, body, forward }) => {
        if (!happening) {
          inconsistent += body.ConsistentRead ? 0 : 1;
          if (arrived++ === place) {
            happening = true;
            await scene.everythingElse();
            happening = false;
          }
        }
        return forward(operation === "Query" ? { ...body, Limit: 1 } : body);
      };
      storage.faults.fail(isRead, between, Number.POSITIVE_INFINITY);
      const found = await read(scene.patientId);
      storage.faults.reset();

      reads = Math.max(reads, arrived);
      expect({ place, inconsistent }).toEqual({ place, inconsistent: 0 });
      for (const [threadId, { messageCount, messages = [] }] of scene.acknowledged) {
        const thread = found.get(threadId);
        expect({ place, isFound: thread !== undefined }).toEqual({ place, isFound: true });
        expect(thread?.messageCount).toBeGreaterThanOrEqual(messageCount);
        expect(thread?.messages?.slice(0, messages.length) ?? messages).toEqual(messages);
      }
      expect(found.get(scene.reusedId)?.messageCount ?? 2).toBe(2);
      for (const { messageCount, messages } of found.values()) {
        expect(messages?.length ?? messageCount).toBe(messageCount);
      }
    }
    expect(reads).toBeGreaterThan(10);
  },
);
