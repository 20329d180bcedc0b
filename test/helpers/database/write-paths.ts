import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { phoneLockKey } from "../../../shared/dynamo/keys.ts";
import type { Patient } from "../../../shared/patients/patient.ts";
import type { Thread } from "../../../shared/threads/thread.ts";
import { CALLER, TENANT } from "../caller.ts";
import type { Chats } from "./chats.ts";
import { newThread, turn } from "./database.ts";
import type { Storage } from "./storage.ts";

/** A write operation of the service, prepared with its own data. */
export interface PreparedPath {
  run(): Promise<unknown>;
  /** What `run` must return. */
  result: unknown;
  /** Asserts that the stored data is exactly the result of one successful run. */
  expectDone(): Promise<void>;
  /**
   * Asserts that the stored data is valid after a run interrupted anywhere, and that the leftovers can be cleaned up.
   */
  expectSound(): Promise<void>;
}

/** Every path that writes, by name. */
export type WritePath = (storage: Storage, chats: Chats) => Promise<PreparedPath>;

export const WRITE_PATHS: Record<string, WritePath> = {
  "creating a patient": createPatient,
  "creating a patient without a phone number": async (storage) => {
    const patient = newPatient(undefined);
    const stored = () => storage.patients.readPatient(CALLER, patient.id);
    return {
      run: () => storage.patients.insertPatient(CALLER, patient),
      result: { kind: "inserted" },
      expectDone: async () => expect(await stored()).toEqual(patient),
      expectSound: async () => expect([undefined, patient]).toContainEqual(await stored()),
    };
  },
  "creating a thread with an opening turn": async (storage) => {
    const thread = { ...newThread(), messageCount: 2 };
    return {
      run: () => storage.threads.insertThread(TENANT, thread, { opening: turn(0) }),
      result: { kind: "inserted" },
      expectDone: () => expectTurns(storage, thread, [turn(0)]),
      expectSound: () => expectSoundThread(storage, thread),
    };
  },
  "a chat": chatOn(undefined),
  "a chat with an idempotency key": chatOn("a-key"),
  "deleting a short thread": deletion({ turns: 3, by: "caller" }),
  "deleting a thread whose creation has an idempotency key": deletion({
    turns: 3,
    creationRecord: "key",
    by: "caller",
  }),
  "deleting a thread of many turns": deletion({ turns: 100, by: "caller" }),
  "sweeping a short thread": deletion({ turns: 3, by: "sweep" }),
  "sweeping a thread of long turns": deletion({ turns: 3, answer: "x".repeat(370_000), by: "sweep" }),
};

/** Returns a patient that is not stored yet. */
export function newPatient(phone_number: string | undefined): Patient {
  const created_at = new Date().toISOString();
  return {
    id: randomUUID(),
    name: "Test Person",
    phone_number,
    conditions: [],
    medications: [],
    notes: [],
    reminders_enabled: false,
    join_status: "API",
    revision: "a-revision",
    created_at,
    updated_at: created_at,
  };
}

let lastPhone = 15_551_000_000;

async function createPatient(storage: Storage): Promise<PreparedPath> {
  const phone = String(++lastPhone);
  const patient = newPatient(phone);
  const expectNoLockWithoutPatient = async () => {
    const items = await storage.patientItems();
    const ids = items.filter(({ pk, phone_number }) => pk === phoneLockKey(TENANT, phone).pk || phone_number === phone);
    expect([0, 2]).toContain(ids.length);
  };
  return {
    run: () => storage.patients.insertPatient(CALLER, patient),
    result: { kind: "inserted" },
    expectDone: async () => {
      expect(await storage.patients.readPatientByPhone(CALLER, phone, false)).toEqual(patient);
      const other = newPatient(phone);
      expect(await storage.patients.insertPatient(CALLER, other)).toEqual({
        kind: "phone-taken",
        patientId: patient.id,
      });
      await expectNoLockWithoutPatient();
    },
    expectSound: expectNoLockWithoutPatient,
  };
}

function chatOn(key: string | undefined): WritePath {
  return async (storage, chats) => {
    const thread = await storage.storeThread(1);
    const request = { message: "hello", threadId: thread.threadId };
    const response = "answer to: hello";
    const run = () => chats.chat(request, key);
    const result = { success: true, response, threadId: thread.threadId, messageCount: 4 };
    const expectDone = () =>
      expectTurns(storage, thread, [turn(0), { question: "hello", parts: [{ kind: "words", text: response }] }]);
    return {
      run,
      result,
      expectDone,
      expectSound: async () => {
        await expectConsistentThread(storage, thread);
        if (key !== undefined && !(await isHeld(storage, thread))) {
          expect(await run()).toEqual(result);
          await expectDone();
        }
        await expectSoundThread(storage, thread);
      },
    };
  };
}

/** Whether an invocation that died holds a key of the thread; a retry then waits for the lease to expire. */
async function isHeld(storage: Storage, { threadId }: Thread): Promise<boolean> {
  const items = await storage.threadItems(threadId);
  return items.some(({ holder, turnNumber }) => holder !== undefined && turnNumber === undefined);
}

interface Deletion {
  turns: number;
  answer?: string;
  creationRecord?: string;
  by: "caller" | "sweep";
}

function deletion({ turns, answer, creationRecord, by }: Deletion): WritePath {
  return async (storage) => {
    const thread = await storage.storeThread(turns, answer);
    await storage.seed({
      ...(await storage.threadItem(thread)),
      ...(by === "sweep" && { expiresAt: new Date(0).toISOString() }),
      ...(creationRecord && { creationRecord }),
    });
    return {
      run: () => (by === "sweep" ? storage.sweepOne(thread) : storage.remove(thread)),
      result: true,
      expectDone: async () => expect(await storage.threadItems(thread.threadId)).toEqual([]),
      expectSound: () => expectSoundThread(storage, thread),
    };
  };
}

async function expectTurns(storage: Storage, { threadId }: Thread, turns: unknown[]): Promise<void> {
  expect(await storage.threads.readConversation(TENANT, threadId)).toMatchObject({
    thread: { messageCount: 2 * turns.length },
    turns,
  });
  const stored = await storage.threadItems(threadId);
  expect(stored.filter(({ sk }) => String(sk).startsWith("turn#"))).toHaveLength(turns.length);
}

/** Asserts that a thread visible to callers has exactly as many turns as its count says. */
async function expectConsistentThread(storage: Storage, { threadId }: Thread): Promise<void> {
  const items = await storage.threadItems(threadId);
  const own = items.find(({ sk }) => sk === "~thread");
  if (!own) {
    expect(items).toEqual([]);
  } else if (!own.deleting) {
    const turns = items.filter(({ sk }) => String(sk).startsWith("turn#"));
    const byPersons = turns.filter(({ author }) => author !== undefined);
    expect(own.messageCount).toBe(2 * turns.length - byPersons.length);
  }
}

/** Asserts, in addition, that the sweep deletes everything an interrupted run has left. */
export async function expectSoundThread(storage: Storage, thread: Thread): Promise<void> {
  await expectConsistentThread(storage, thread);
  const own = (await storage.threadItems(thread.threadId)).at(-1);
  if (own) {
    await storage.seed({ ...own, expiresAt: new Date(0).toISOString() });
    expect(await storage.sweepOne(thread)).toBe(true);
  }
  expect(await storage.threadItems(thread.threadId)).toEqual([]);
}
