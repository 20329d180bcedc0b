import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { entityTag } from "../../shared/contract/preconditions.ts";
import { deletePatient as erase } from "../../shared/data-lifecycle/delete-patient.ts";
import { beginErasure } from "../../shared/data-lifecycle/erasure-repository.ts";
import { createPatient as create } from "../../shared/patients/create-patient.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { patchPatient as patch } from "../../shared/patients/update-patient.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Call, Fault } from "../helpers/database/fault-proxy.ts";
import { after, conflict, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
beforeAll(async () => {
  process.env.ERASURE_DAYS = "35";
});

let lastPhone = 15_553_000_000;
let patient: Patient;
beforeEach(async () => {
  retryWithoutWaiting();
  patient = await storePatient();
  storage.faults.reset();
});

async function storePatient(): Promise<Patient> {
  const stored = newPatient(String(++lastPhone));
  await storage.patients.insertPatient(CALLER, stored);
  return stored;
}

/** Lets something happen between the read and the write of the next change. */
const first = (event: () => Promise<unknown>) => storage.faults.fail("TransactWriteItems", after(event));
const read = () => storage.patients.readPatient(CALLER, patient.id);
const byPhone = async (number: string) => (await storage.patients.readPatientByPhone(CALLER, number, false))?.id;

describe("a change of a patient", () => {
  test.each<[string, Fault[]]>([
    ["its response is lost", [responseLost]],
    ["its response is lost and its retry is busy", [responseLost, conflict]],
    ["the record is busy at first", [conflict, conflict]],
  ])("is made once, with If-Match too, if %s", async (_, faults) => {
    const number = String(++lastPhone);
    const ifMatch = entityTag(patient.revision);
    for (const fault of faults) {
      storage.faults.fail("TransactWriteItems", fault);
    }
    const change = await patch(newContext(), patient.id, { phone_number: number }, { ifMatch });
    const updated = change.body.patient;
    expect(updated).toMatchObject({ id: patient.id, phone_number: number });
    expect(await read()).toMatchObject({ phone_number: number, updated_at: updated.updated_at });
    expect(storage.faults.calls("Query")).toBe(0);
    expect(await byPhone(number)).toBe(patient.id);
    expect(await byPhone(patient.phone_number as string)).toBeUndefined();
  });

  test("is applied to a change that came first", async () => {
    first(() => patch(newContext(), patient.id, { allergies: "nuts" }));
    expect((await patch(newContext(), patient.id, { name: "New Name" })).body.patient).toMatchObject({
      allergies: "nuts",
    });
    expect(await read()).toMatchObject({ name: "New Name", allergies: "nuts" });
    const second = newPatient(patient.phone_number); // the number, which has not changed, stays locked
    expect(await storage.patients.insertPatient(CALLER, second)).toMatchObject({ kind: "phone-taken" });
  });

  test("of the phone number succeeds if the same change came first", async () => {
    const phone_number = String(++lastPhone);
    first(() => patch(newContext(), patient.id, { phone_number }));
    expect((await patch(newContext(), patient.id, { phone_number })).body.patient).toMatchObject({ phone_number });
    expect(await byPhone(phone_number)).toBe(patient.id);
  });

  test("with If-Match is rejected after a change that came first", async () => {
    const { etag } = await patch(newContext(), patient.id, { age: 40 });
    first(() => patch(newContext(), patient.id, { allergies: "nuts" }));
    for (const ifMatch of [etag, ""]) {
      await expect(patch(newContext(), patient.id, { age: 41 }, { ifMatch })).rejects.toMatchObject({
        kind: "precondition-failed",
      });
    }
    expect(await read()).toMatchObject({ age: 40, allergies: "nuts" });
  });

  test("is an error in the end if the record is changed before every attempt", async () => {
    let age = 0;
    const onlyName = ({ operation, body }: Call) =>
      operation === "TransactWriteItems" && JSON.stringify(body.TransactItems).includes("New Name");
    storage.faults.fail(
      onlyName,
      after(() => patch(newContext(), patient.id, { age: ++age })),
      Number.POSITIVE_INFINITY,
    );
    await expect(patch(newContext(), patient.id, { name: "New Name" })).rejects.toThrow("changed in every attempt");
    // On a busy machine, the SDK may send a call again.
    expect(storage.faults.calls((call) => onlyName(call) && call.attempt === 1)).toBe(21);
    expect(await read()).toMatchObject({ name: patient.name, age });
  });

  test("of a patient that is deleted first is a 404", async () => {
    first(() => beginErasure(CALLER, patient.id));
    await expect(patch(newContext(), patient.id, { name: "New Name" })).rejects.toMatchObject({ kind: "not-found" });
    expect(await read()).toBeUndefined();
  });
});

test.each<[string, (phone: string) => Promise<{ body: { patient: { id: string } } }>]>([
  ["a change of a patient", (phone_number) => patch(newContext(), patient.id, { phone_number })],
  ["a new patient", (phone_number) => create(newContext(), { phone_number })],
])("%s gets a phone number whose patient is erased before the conflict can be reported", async (_, write) => {
  const other = await storePatient();
  const number = other.phone_number as string;
  storage.faults.fail("TransactWriteItems", async (call) => {
    const refusal = await call.forward();
    await erase(newContext(), other.id);
    return refusal;
  });
  const { body } = await write(number);
  expect(await byPhone(number)).toBe(body.patient.id);
});
