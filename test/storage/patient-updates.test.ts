import { beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { entityTag } from "../../shared/contract/preconditions.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import { after, conflict, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
let create: typeof import("../../shared/patients/create-patient.ts").createPatient;
let erase: typeof import("../../shared/data-lifecycle/delete-patient.ts").deletePatient;
let patch: typeof import("../../shared/patients/update-patient.ts").patchPatient;
beforeAll(async () => {
  process.env.ERASURE_DAYS = "35";
  ({ patchPatient: patch } = await import("../../shared/patients/update-patient.ts"));
  ({ createPatient: create } = await import("../../shared/patients/create-patient.ts"));
  ({ deletePatient: erase } = await import("../../shared/data-lifecycle/delete-patient.ts"));
});

let lastPhone = 15_553_000_000;
let patient: Patient;
beforeEach(async () => {
  jest.spyOn(console, "info").mockReturnValue();
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
const byPhone = async (number: string) => (await storage.patients.readPatientByPhone(CALLER, number))?.id;

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
    const onlyName = ({ operation, body }: { operation: string; body: { TransactItems: unknown } }) =>
      operation === "TransactWriteItems" && JSON.stringify(body.TransactItems).includes("New Name");
    storage.faults.fail(
      onlyName,
      after(() => patch(newContext(), patient.id, { age: ++age })),
      Number.POSITIVE_INFINITY,
    );
    await expect(patch(newContext(), patient.id, { name: "New Name" })).rejects.toThrow("changed in every attempt");
    expect(storage.faults.calls(onlyName)).toBe(21);
    expect(await read()).toMatchObject({ name: patient.name, age: 21 });
  });

  test("of a patient that is deleted first is a 404", async () => {
    const { beginErasure } = await import("../../shared/data-lifecycle/erasure-repository.ts");
    first(() => beginErasure(CALLER, patient.id));
    await expect(patch(newContext(), patient.id, { name: "New Name" })).rejects.toMatchObject({ kind: "not-found" });
    expect(await read()).toBeUndefined();
  });

  test("without a number at first, and without one in the end, leaves no lock behind", async () => {
    const number = patient.phone_number as string;
    await patch(newContext(), patient.id, { phone_number: null });
    expect(await byPhone(number)).toBeUndefined();
    await patch(newContext(), patient.id, { phone_number: number });
    expect(await byPhone(number)).toBe(patient.id);
    await patch(newContext(), patient.id, { phone_number: null });
    expect(await storage.patients.insertPatient(CALLER, newPatient(number))).toEqual({ kind: "inserted" });
  });
});

describe("a malformed patient id", () => {
  test.each<[string, (id: string) => unknown]>([
    ["is not read", async (id) => (await import("../../shared/patients/get-patient.ts")).getPatient(newContext(), id)],
    ["is not changed", (id) => patch(newContext(), id, { name: "New Name" })],
    [
      "is not erased",
      async (id) => (await import("../../shared/data-lifecycle/delete-patient.ts")).deletePatient(newContext(), id),
    ],
    [
      "has no export",
      async (id) => (await import("../../shared/data-lifecycle/export-patient.ts")).exportPatient(newContext(), id),
    ],
  ])("%s, and the database is not asked", async (_, call) => {
    for (const id of ["x", `${patient.id}0`, "x".repeat(3_000)]) {
      await expect(call(id)).rejects.toMatchObject({ kind: "not-found" });
    }
    expect(storage.faults.calls()).toBe(0);
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

test("a record has at most 350 KB", async () => {
  const { checkedPatient } = await import("../../shared/patients/checked-patient.ts");
  const own = { id: patient.id, join_status: "API" };
  const withText = (length: number) => checkedPatient({ notes: [{ text: "x".repeat(length) }], name: "A" }, own, "400");
  const most = 350 * 1024 - Buffer.byteLength(JSON.stringify(withText(0)));
  expect(Buffer.byteLength(JSON.stringify(withText(most)))).toBe(350 * 1024);
  expect(() => withText(most + 1)).toThrow("400");
});
