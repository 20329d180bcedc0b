import { expect, test } from "@jest/globals";
import { createPatient } from "../../shared/patients/create-patient.ts";
import { createThread } from "../../shared/threads/create-thread.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import { after } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse("2030-01-01T10:00:00.000Z");

const storage = setUpStorage();

/** Creates something at a time with the key "key", and returns its id. */
const CREATIONS: [string, (time: number, body?: object) => Promise<string>][] = [
  [
    "thread",
    async (time, body = {}) => {
      stopClockAt(time);
      const caller = { ...CALLER, operation: "create-thread" };
      const options = { openingTurn: async () => undefined, idempotencyKey: "key" };
      return (await createThread(newContext(caller), body, options)).body.threadId;
    },
  ],
  [
    "patient",
    async (time, body = {}) => {
      stopClockAt(time);
      const caller = { ...CALLER, operation: "create-patient" };
      return (await createPatient(newContext(caller), { name: "Pat Example", ...body }, "key")).body.patient.id;
    },
  ],
];

test.each(CREATIONS)("the creation of a %s is repeated for a day, and not a second longer", async (_, create) => {
  const first = await create(START);
  expect(await create(START + DAY - 1_000)).toBe(first);
  const second = await create(START + DAY);
  expect(second).not.toBe(first);
  expect(await create(START + DAY)).toBe(second);
  await storage.clear();
});

test.each(CREATIONS)(
  "the creation of a %s whose key is used in the meantime is a repetition of that one",
  async (_, create) => {
    let other: string | undefined;
    const body = { phone_number: "555-010-0188" };
    const meanwhile = after(async () => {
      other = await create(START, body);
    });
    storage.faults.fail("TransactWriteItems", meanwhile);
    expect(await create(START, body)).toBe(other);
    await storage.clear();
  },
);
