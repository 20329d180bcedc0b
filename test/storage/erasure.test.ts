import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { deletePatient } from "../../shared/data-lifecycle/delete-patient.ts";
import { beginErasure } from "../../shared/data-lifecycle/erasure-repository.ts";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { retries } from "../../shared/dynamo/retries.ts";
import { transact } from "../../shared/dynamo/transact.ts";
import { eraseIds } from "../../shared/events/event-repository.ts";
import { recordEvent } from "../../shared/events/outbox.ts";
import { giveFeedback } from "../../shared/feedback/give-feedback.ts";
import { creationRequest } from "../../shared/idempotency/creation-record-repository.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { PATIENT_UNKNOWN } from "../../shared/patients/patient.ts";
import { patchPatient } from "../../shared/patients/update-patient.ts";
import { createThread } from "../../shared/threads/create-thread.ts";
import { checkRequest } from "../../shared/threads/handoff-repository.ts";
import { messageId } from "../../shared/threads/message-id.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { THREAD_GONE } from "../../shared/threads/thread.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { newThread, retryWithoutWaiting, stopClockAt, turn, turnItems } from "../helpers/database/database.ts";
import { exchange } from "../helpers/database/exchange.ts";
import type { Call, Fault } from "../helpers/database/fault-proxy.ts";
import { after, requestLost, responseLost } from "../helpers/database/faults.ts";
import { refillRetryQuota, setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(() => {
  process.env.ERASURE_DAYS = "42";
  retryWithoutWaiting();
});

/** A word in everything that the tests store about a patient. */
const MARKER = "zebrafinch";
const LENGTHS = [30, 3, 0]; // 30 take two batches

let phones = 15_552_000_000;

/**
 * Stores a patient with a long, a short and an empty thread, each created with an idempotency key, and one bound by a
 * chat.
 */
async function storePatient(lengths = LENGTHS): Promise<{ patient: Patient; threads: Thread[] }> {
  const patient = {
    ...newPatient(String(phones++)),
    name: `Pat ${MARKER}`,
    allergies: MARKER,
    notes: [{ text: MARKER }],
    age: 40,
    gender: "x",
  };
  const keyed = (name: string, body: unknown) => {
    const request = creationRequest(CALLER, `${name}-${patient.id}`, body);
    return request && { request, response: { body: { said: MARKER }, headers: {} } };
  };
  expect(await storage.patients.insertPatient(CALLER, patient, keyed("patient", { name: MARKER }))).toEqual({
    kind: "inserted",
  });
  const threads: Thread[] = [];
  for (const [index, count] of lengths.entries()) {
    const metadata = { note: MARKER };
    const thread = { ...newThread(), patientId: patient.id, messageCount: 2 * count, metadata };
    const creation = keyed(`thread-${index}`, {});
    expect(await storage.threads.insertThread(TENANT, thread, creation && { creation })).toEqual({ kind: "inserted" });
    await storage.seed(...turnItems(thread, count, { ...exchange(MARKER, MARKER) }));
    threads.push(thread);
  }
  const bound = await storage.storeThread();
  await storage.commit(bound, exchange(MARKER, MARKER), { patientId: patient.id });
  return { patient, threads: [...threads, bound] };
}

const erase = (id: string, preconditions = {}) => deletePatient(newContext(), id, preconditions);
const sweep = () => sweepThreads(() => 60_000);

/** Asserts that tables and indexes contain nothing but the notes of these erasures and others. */
async function expectNoResidue(...patientIds: string[]): Promise<void> {
  const { patients, threads, indexed } = await storage.everything();
  expect(patients.filter((item) => !String(item.pk).includes("#erasure#"))).toEqual([]);
  expect(patients.map(({ pk }) => pk)).toEqual(
    expect.arrayContaining(patientIds.map((id) => `test-tenant#erasure#${id}`)),
  );
  expect(threads).toEqual([]);
  expect(indexed).toEqual([]);
  expect(JSON.stringify(patients)).not.toContain(MARKER);
}

beforeEach(() => storage.clear());

describe("erasing a patient", () => {
  test("with threads of 30, 3 and 0 turns and one bound by a chat leaves nothing but the note of the erasure", async () => {
    const { patient } = await storePatient();
    expect(await erase(patient.id)).toEqual({
      success: true,
      message: "Patient deleted successfully",
      erased: { threads: 4, messages: 2 * (30 + 3 + 0 + 1) },
    });
    await expectNoResidue(patient.id);
    await expect(erase(patient.id)).rejects.toMatchObject({ kind: "not-found" });
  });

  test("leaves a note that expires after the backups, by a TTL attribute that patient records do not have", async () => {
    const { patient } = await storePatient([]);
    const [record] = (await storage.everything()).patients.filter(({ id }) => id === patient.id);
    expect(record).not.toHaveProperty("erasureEndsAt");
    await erase(patient.id);
    const [note] = (await storage.everything()).patients;
    expect(Object.keys(note ?? {}).sort()).toEqual(["erasedAt", "erasureEndsAt", "pk"]);
    const days = Number(note?.erasureEndsAt) / 86_400 - Date.parse(String(note?.erasedAt)) / 86_400_000;
    expect(days).toBeCloseTo(42, 3);
  });

  test("does not affect other patients and their threads", async () => {
    const { patient } = await storePatient([2]);
    const other = await storePatient([2]);
    const unlinked = await storage.storeThread(2);
    await erase(patient.id);
    expect(await storage.patients.readPatient(CALLER, other.patient.id)).toMatchObject({ id: other.patient.id });
    for (const { threadId } of [...other.threads, unlinked]) {
      expect(await storage.threads.readThread(TENANT, threadId)).toMatchObject({ threadId });
    }
    await erase(other.patient.id);
    expect((await storage.everything()).threads).toHaveLength(3);
  });

  describe("with If-Match", () => {
    const etagOf = async (id: string) => `"${(await storage.patients.readPatient(CALLER, id))?.revision}"`;

    test("erases nothing if the record is changed after it was compared", async () => {
      const { patient } = await storePatient([2]);
      const ifMatch = await etagOf(patient.id);
      const change = () => patchPatient(newContext(), patient.id, { allergies: `no ${MARKER}` });
      storage.faults.fail("TransactWriteItems", after(change));
      await expect(erase(patient.id, { ifMatch })).rejects.toMatchObject({ kind: "precondition-failed" });
      expect(await storage.patients.readPatient(CALLER, patient.id)).toMatchObject({ allergies: `no ${MARKER}` });
      const { patients, threads } = await storage.everything();
      expect(JSON.stringify([patients, threads])).not.toMatch(/erasure/);
      expect((await erase(patient.id, { ifMatch: await etagOf(patient.id) })).erased.threads).toBe(2);
      await expectNoResidue(patient.id);
    });

    test("completes an erasure that was interrupted, although the record is gone", async () => {
      const { patient } = await storePatient([2]);
      const ifMatch = await etagOf(patient.id);
      storage.faults.fail("BatchWriteItem", requestLost, Number.POSITIVE_INFINITY);
      await expect(erase(patient.id, { ifMatch })).rejects.toThrow();
      storage.faults.reset();
      await refillRetryQuota();
      await erase(patient.id, { ifMatch });
      await expectNoResidue(patient.id);
    });
  });

  test("makes a turn in flight on one of the threads end with a 404", async () => {
    const { patient, threads } = await storePatient();
    const message = { message: MARKER, threadId: threads[0]?.threadId ?? "" };
    const { answer, erased } = await eraseDuringTurn(patient.id, () => chats.chat(message, "a-key"));
    expect(answer).toMatchObject({ kind: "not-found", message: THREAD_GONE.error });
    expect(erased).toMatchObject({ erased: { threads: 4 } });
    await expectNoResidue(patient.id);
  });

  test("prevents a turn in flight from binding a thread to the patient", async () => {
    const { patient } = await storePatient([]);
    const thread = await storage.storeThread();
    const message = { message: MARKER, threadId: thread.threadId, patientId: patient.id };
    const { answer } = await eraseDuringTurn(patient.id, () => chats.chat(message));
    expect(answer).toMatchObject({ kind: "not-found", message: PATIENT_UNKNOWN.error });
    expect(JSON.stringify(await storage.everything())).not.toContain(MARKER);
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ messageCount: 0 });
  });

  /** Erases the patient while the model answers. */
  async function eraseDuringTurn(patientId: string, chat: () => Promise<unknown>) {
    const before = chats.model.script;
    let erased: unknown;
    chats.model.script = async () => {
      erased ??= await erase(patientId);
      return { content: MARKER };
    };
    const answer = await chat().catch((error) => error);
    chats.model.script = before;
    return { answer, erased };
  }

  test("prevents a thread that is being created from being linked to the patient", async () => {
    const { patient } = await storePatient([1]);
    const openingTurn = async () => {
      await erase(patient.id);
      return exchange(undefined, MARKER);
    };
    await expect(createThread(newContext(), { patientId: patient.id }, { openingTurn })).rejects.toMatchObject({
      kind: "not-found",
      message: PATIENT_UNKNOWN.error,
    });
    await expectNoResidue(patient.id);
  });

  test("erases threads that have expired but are not swept yet", async () => {
    const { patient, threads } = await storePatient([3, 120]);
    for (const thread of threads) {
      await storage.seed({ ...(await storage.threadItem(thread)), expiresAt: new Date(0).toISOString() });
    }
    expect((await erase(patient.id)).erased.threads).toBe(3);
    await expectNoResidue(patient.id);
  });

  test.each([
    ["caller", "remove"],
    ["sweep", "sweepOne"],
  ] as const)("erases threads whose removal by a %s was interrupted", async (_, remove) => {
    const { patient, threads } = await storePatient([3, 0]);
    for (const thread of threads) {
      if (remove === "sweepOne") {
        await storage.seed({ ...(await storage.threadItem(thread)), expiresAt: new Date(0).toISOString() });
      }
      await refillRetryQuota();
      storage.faults.reset();
      const isLast = ({ operation, body }: Call) =>
        operation === "BatchWriteItem" || JSON.stringify(body).includes("thread.expired");
      storage.faults.fail(isLast, requestLost, Number.POSITIVE_INFINITY);
      await expect(storage[remove](thread)).rejects.toThrow();
    }
    storage.faults.reset();
    await refillRetryQuota();
    expect((await erase(patient.id)).erased.threads).toBe(3);
    await expectNoResidue(patient.id);
  });

  test("removes its IDs from all events but its own, also those of threads that were swept or bound later", async () => {
    const { patient, threads } = await storePatient([3]);
    const [linked] = threads as [Thread, Thread];
    const alert = { alertLevel: "crisis" } as const;
    await storage.commit({ ...linked, messageCount: 6 }, turn(3), alert);
    const later = await storage.storeThread();
    const unbound = (await storage.commit(later, turn(0), alert)) as Thread;
    await causeEvents(unbound);
    await storage.commit(unbound, turn(1), { ...alert, patientId: patient.id });
    for (const thread of [linked, later]) {
      await storage.seed({ ...(await storage.threadItem(thread)), expiresAt: new Date(0).toISOString() });
      expect(await storage.sweepOne(thread)).toBe(true);
    }
    const others = await storage.storeThread();
    await storage.commit(others, turn(0), alert);
    const types = async () => (await storage.eventItems()).map(({ type }) => type).sort();
    const alerts = Array(4).fill("safety.alert");
    const before = ["feedback.created", "handoff.unanswered", ...alerts, ...Array(2).fill("thread.expired")];
    expect(await types()).toEqual(before);

    await erase(patient.id);
    expect(await types()).toEqual([...before, "patient.erased"].toSorted());
    const withIds = (await storage.eventItems()).filter((event) => JSON.stringify(event).match(/threadId|patientId/));
    expect(withIds).toHaveLength(2);
    expect(withIds).toContainEqual(expect.objectContaining({ type: "safety.alert", threadId: others.threadId }));
    expect(withIds).toContainEqual(expect.objectContaining({ type: "patient.erased", patientId: patient.id }));
    await expectNoResidueOfThreads(linked, later);
  });

  test("removes IDs from events of the time before a thread was bound, even if it dies after removing the links", async () => {
    const { patient } = await storePatient([]);
    const thread = await storage.storeThread();
    const unbound = (await storage.commit(thread, turn(0), { alertLevel: "crisis" })) as Thread;
    await storage.commit(unbound, turn(1), { patientId: patient.id });
    const removesLinks = ({ operation, body }: Call) =>
      operation === "BatchWriteItem" && JSON.stringify(body).includes(`#patient#${patient.id}`);
    storage.faults.fail(removesLinks, (call) => {
      storage.faults.fail("all", requestLost, Number.POSITIVE_INFINITY);
      return responseLost(call);
    });
    await expect(erase(patient.id)).rejects.toThrow();
    storage.faults.reset();
    await refillRetryQuota();
    await erase(patient.id);
    await expectNoResidueOfThreads(thread);
  });

  test("removes IDs from events of the time before a thread was bound, although the thread was deleted first", async () => {
    const { patient } = await storePatient([]);
    const thread = await storage.storeThread();
    const unbound = (await storage.commit(thread, turn(0), { alertLevel: "crisis" })) as Thread;
    await storage.commit(unbound, turn(1), { patientId: patient.id });
    await storage.remove(thread);
    const { threads: items } = await storage.everything();
    const kept = items.filter((item) => JSON.stringify(item).includes(thread.generation));
    expect(kept).toEqual([{ pk: expect.any(String), sk: expect.any(String), ttl: expect.any(Number) }]);
    await erase(patient.id);
    await expectNoResidueOfThreads(thread);
  });

  test("does not bring back an event that DynamoDB deletes while its IDs are removed", async () => {
    const { patient, threads } = await storePatient([0]);
    await storage.commit(threads[0] as Thread, turn(0), { alertLevel: "crisis" });
    const removesIds = ({ body }: Call) => Object.values(body.ExpressionAttributeNames ?? {}).includes("messageId");
    storage.faults.fail(removesIds, async ({ forward }) => {
      await storage.clear();
      return forward();
    });
    await erase(patient.id);
    expect(await storage.eventItems()).toEqual([]);
  });

  test("removes the IDs of any number of threads from events", async () => {
    const generations = Array.from({ length: 201 }, (_, index) => `generation-${index}`);
    for (let start = 0; start < generations.length; start += 100) {
      const events = generations
        .slice(start, start + 100)
        .map((generation) => recordEvent(TENANT, { type: "safety.alert", generation, threadId: "48213" }, Date.now()));
      await transact(() => ({ events }), retries({ attempts: 0 }));
    }
    await eraseIds(TENANT, "a-patient", generations);
    const events = await storage.eventItems();
    expect(events).toHaveLength(201);
    expect(events.filter((event) => event.threadId !== undefined)).toEqual([]);
  });

  /** Causes the events of a thread that have no turn of their own: feedback, and a request that nobody has answered. */
  async function causeEvents(thread: Thread): Promise<void> {
    await giveFeedback(newContext(), thread.threadId, messageId(thread, 1), { rating: "bad" });
    await storage.seed({ ...(await storage.threadItem(thread)), answerBy: new Date(0).toISOString() });
    await checkRequest(TENANT, thread.threadId, thread.generation);
  }

  /** Asserts that no event names a thread in any way. */
  async function expectNoResidueOfThreads(...threads: Thread[]): Promise<void> {
    const events = JSON.stringify(await storage.eventItems());
    for (const { generation } of threads) {
      expect(events).not.toContain(generation);
    }
  }

  test("succeeds when called twice in parallel", async () => {
    const { patient } = await storePatient();
    const ends = await Promise.allSettled([erase(patient.id), erase(patient.id), erase(patient.id)]);
    expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    await expectNoResidue(patient.id);
  });

  test("deletes a record that is changed at the same time", async () => {
    const { patient } = await storePatient([1]);
    let patched = false;
    storage.faults.fail(
      (call: Call) => call.operation === "TransactWriteItems",
      after(async () => {
        await patchPatient(newContext(), patient.id, { phone_number: String(phones++), allergies: MARKER });
        patched = true;
      }),
    );
    await erase(patient.id);
    expect(patched).toBe(true);
    await expectNoResidue(patient.id);
  });

  test("does not delete an expired idempotency record that now belongs to another patient", async () => {
    const { patient } = await storePatient([]);
    const records = (await storage.everything()).threads.filter(({ owner }) => owner === patient.id);
    expect(records).toHaveLength(1);
    await storage.seed({ ...records[0], owner: "another" });
    await erase(patient.id);
    expect((await storage.everything()).threads).toEqual([{ ...records[0], owner: "another" }]);
  });
});

describe("an interrupted erasure", () => {
  const deaths: [string, Fault][] = [
    ["before", requestLost],
    ["after", responseLost],
  ];

  test.each(deaths)("(just %s any of its writes) is completed by the next call", async (_, last) => {
    const interrupted = await interruptEverywhere(last, [3, 0]);
    for (const id of interrupted) {
      await erase(id).catch((error) => expect(error).toMatchObject({ kind: "not-found" }));
    }
    await expectNoResidue(...interrupted);
  });

  test.each(deaths)("(just %s any of its writes) is completed by the next sweep", async (when, last) => {
    const interrupted = await interruptEverywhere(last, LENGTHS);
    if (when === "before") {
      const [first = ""] = interrupted.splice(0, 1);
      expect(await storage.patients.readPatient(CALLER, first)).toBeDefined(); // the erasure had not begun
      await erase(first);
    }
    stopClockAt(Date.now() + 25 * 60_000);
    expect(await sweep()).toMatchObject({ failed: 0, complete: true });
    jest.useRealTimers();
    await expectNoResidue(...interrupted);
  });

  async function countWrites(lengths: number[]): Promise<number> {
    const { patient } = await storePatient(lengths);
    storage.faults.reset();
    await erase(patient.id);
    const writes = storage.faults.calls("writes");
    await storage.clear();
    expect(writes).toBeGreaterThan(lengths === LENGTHS ? 10 : 3);
    return writes;
  }

  /** Erases a patient per write of an erasure, each interrupted at another write; @returns their ids, by write. */
  async function interruptEverywhere(last: Fault, lengths: number[]): Promise<string[]> {
    const ids: string[] = [];
    const writes = await countWrites(lengths);
    for (let index = 0; index < writes; index++) {
      ids.push((await interrupt(index, last, lengths)).id);
    }
    return ids;
  }

  async function interrupt(index: number, last: Fault, lengths: number[]): Promise<Patient> {
    await refillRetryQuota();
    const { patient } = await storePatient(lengths);
    storage.faults.reset();
    const die: Fault = (call) => {
      storage.faults.fail("all", requestLost, Number.POSITIVE_INFINITY);
      return last(call);
    };
    storage.faults.fail("writes", die, 1, index);
    await expect(erase(patient.id)).rejects.toThrow();
    storage.faults.reset();
    await refillRetryQuota();
    return patient;
  }
});

test("an erasure that begins seconds before a sweep is left to its own caller until the next sweep", async () => {
  stopClockAt("2030-01-01T10:09:45.000Z");
  const { patient } = await storePatient([1]);
  expect(await beginErasure(CALLER, patient.id)).toBe(true);
  for (const [time, removed] of [
    ["10:10", 0],
    ["10:20", 1],
  ] as const) {
    stopClockAt(`2030-01-01T${time}:00.000Z`);
    expect(await sweep()).toMatchObject({ removed });
  }
});

test("deleted and swept threads leave no link and no idempotency record behind", async () => {
  const { patient, threads } = await storePatient();
  await storage.remove(threads[0] as Thread);
  for (const thread of threads.slice(1)) {
    await storage.seed({ ...(await storage.threadItem(thread)), expiresAt: new Date(0).toISOString() });
    expect(await storage.sweepOne(thread)).toBe(true);
  }
  const { threads: left } = await storage.everything();
  expect(left.filter(({ owner }) => owner !== patient.id)).toEqual([]);
});
