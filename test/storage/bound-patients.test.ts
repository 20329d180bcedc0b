import { randomUUID } from "node:crypto";
import { describe, expect, jest, test } from "@jest/globals";
import type { Thread } from "../../shared/threads/thread.ts";
import { CALLER, TENANT } from "../helpers/caller.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { newThread, turn } from "../helpers/database/database.ts";
import { after, conflict, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
const chats = setUpChats();

let lastPhone = 15_552_000_000;
async function storePatient() {
  const patient = { ...newPatient(String(++lastPhone)), age: 40, gender: "female" };
  await storage.patients.insertPatient(CALLER, patient);
  return patient;
}

const rejection = (path: string) => ({
  kind: "invalid",
  message: `${path} names another patient than the one this thread is linked to`,
  extra: { details: [{ path, message: "must be the thread's own patient" }] },
});

describe("a thread that is not linked to a patient", () => {
  test("accepts one of two parallel first chats about two patients and stores nothing of the other", async () => {
    for (let round = 0; round < 10; round++) {
      const { threadId } = await storage.storeThread();
      const patients = [await storePatient(), await storePatient()];
      const results = await Promise.allSettled(
        patients.map(({ id }, number) => chats.chat({ message: `about ${number}`, threadId, patientId: id })),
      );
      const answered = results.findIndex(({ status }) => status === "fulfilled");
      expect(results[1 - answered]).toMatchObject({ status: "rejected", reason: rejection("patientId") });
      const conversation = await storage.threads.readConversation(TENANT, threadId);
      expect(conversation?.turns).toMatchObject([{ question: `about ${answered}` }]);
      expect(conversation?.thread).toMatchObject({ messageCount: 2, boundPatientId: patients[answered]?.id });
    }
  });

  test("is bound at the commit, whatever was read before", async () => {
    const thread = await storage.storeThread();
    const other = after(() => storage.commit(thread, turn(0), { patientId: "first" }));
    storage.faults.fail("TransactWriteItems", other);
    const options = { patientId: "second" };
    expect(await storage.turns.commitTurn(TENANT, thread, turn(1), Date.now() + 5_000, options)).toEqual({
      kind: "other-patient",
    });
    expect(await storage.threads.readConversation(TENANT, thread.threadId)).toMatchObject({ turns: [turn(0)] });
  });

  test("once bound, takes no turn about another patient", async () => {
    const thread = await storage.storeThread();
    await storage.commit(thread, turn(0), { patientId: "first" });
    const bound = await storage.threads.readThread(TENANT, thread.threadId);
    const commit = storage.turns.commitTurn(TENANT, bound as Thread, turn(1), Date.now() + 5_000, {
      patientId: "second",
    });
    expect(await commit).toEqual({ kind: "other-patient" });
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ boundPatientId: "first" });
  });

  test("is bound once by a commit whose response is lost", async () => {
    const thread = await storage.storeThread();
    storage.faults.fail("TransactWriteItems", responseLost);
    storage.faults.fail("TransactWriteItems", conflict);
    expect(await storage.commit(thread, turn(0), { patientId: "first" })).toMatchObject({ messageCount: 2 });
    expect(await storage.threads.readThread(TENANT, thread.threadId)).toMatchObject({ boundPatientId: "first" });
  });

  test("is not bound by a chat that fails", async () => {
    const { threadId } = await storage.storeThread();
    const [first, second] = [await storePatient(), await storePatient()];
    const { script } = chats.model;
    chats.model.script = () => ({ status: 401 });
    await expect(chats.chat({ message: "hello", threadId, patientId: first.id })).rejects.toThrow();
    chats.model.script = script;
    expect(await chats.chat({ message: "hello", threadId, patientId: second.id })).toMatchObject({ messageCount: 2 });
  });
});

test("a thread whose patient is not there is answered without a record, and that is logged", async () => {
  const warnings = jest.spyOn(console, "warn").mockReturnValue();
  const patientId = randomUUID();
  const thread = { ...newThread(), patientId };
  await storage.threads.insertThread(TENANT, thread);
  expect(await chats.chat({ message: "hello", threadId: thread.threadId })).toMatchObject({ messageCount: 2 });
  expect(warnings.mock.calls).toMatchObject([[{ event: "linked-patient-missing", patientId }]]);
});
