import { beforeEach, describe, expect, test } from "@jest/globals";
import { exportPatient } from "../../shared/data-lifecycle/export-patient.ts";
import { listPatientThreads as list } from "../../shared/data-lifecycle/list-patient-threads.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { newThread, stopClockAt, turn, turnItems } from "../helpers/database/database.ts";
import { exchange } from "../helpers/database/exchange.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();

let patientId: string;
beforeEach(async () => {
  const patient = newPatient(undefined);
  patientId = patient.id;
  await storage.patients.insertPatient(CALLER, patient);
});

/** Threads of the patient, each created a second after the one before. */
async function storeThreads(count: number): Promise<Thread[]> {
  const start = Date.now() - count * 1000;
  const threads: Thread[] = [];
  for (let index = 0; index < count; index++) {
    stopClockAt(start + index * 1000);
    const thread = { ...newThread(), patientId };
    expect(await storage.threads.insertThread(TENANT, thread)).toEqual({ kind: "inserted" });
    threads.push(thread);
  }
  return threads;
}

const idsOf = (threads: { threadId: string }[]) => threads.map(({ threadId }) => threadId);

describe("the threads of a patient", () => {
  test("do not include one that has expired, or whose id belongs to another thread", async () => {
    const [expired, replaced, active] = (await storeThreads(3)) as [Thread, Thread, Thread];
    const other = { ...newThread(), threadId: replaced.threadId };
    await storage.seed(
      { ...(await storage.threadItem(expired)), expiresAt: new Date(0).toISOString() },
      { ...(await storage.threadItem(replaced)), generation: other.generation },
    );
    const { threads: listed } = await list(newContext(), patientId, { limit: 100, before: undefined });
    expect(idsOf(listed)).toEqual([active.threadId]);
  });
});

describe("the export of a patient", () => {
  test("leaves out a thread that is deleted while it is read, even if some of its messages are left", async () => {
    const halfDeleted = { ...newThread(), patientId, messageCount: 4 };
    await storage.threads.insertThread(TENANT, halfDeleted);
    await storage.seed(...turnItems(halfDeleted, 1));
    const [kept, deleted] = (await storeThreads(2)) as [Thread, Thread];
    await storage.commit(kept, turn(0));
    await storage.commit(deleted, turn(0));
    storage.faults.fail(
      ({ operation, body }) => operation === "Query" && body.KeyConditionExpression.includes("BETWEEN"),
      async ({ forward }) => {
        await storage.remove(deleted);
        return forward();
      },
    );
    const { threads } = await exportPatient(newContext(), patientId);
    expect(threads).toEqual([
      expect.objectContaining({
        threadId: kept.threadId,
        messages: [expect.objectContaining({ role: "assistant" }), expect.objectContaining({ role: "user" })],
      }),
    ]);
  });

  test("that is too long for a response is rejected", async () => {
    for (let index = 0; index < 2; index++) {
      const [thread] = (await storeThreads(1)) as [Thread];
      for (let number = 0; number < 9; number++) {
        await storage.commit({ ...thread, messageCount: 2 * number }, exchange("q", "x".repeat(300_000)));
      }
    }
    await expect(exportPatient(newContext(), patientId)).rejects.toMatchObject({ kind: "too-large" });
  });
});
