import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { beginErasure } from "../../shared/data-lifecycle/erasure-repository.ts";
import { phoneLockKey } from "../../shared/dynamo/keys.ts";
import { lookupOfIdentifier } from "../../shared/patients/lookups.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { SERVICE } from "../../shared/request/caller.ts";
import { inRequest } from "../../shared/request/request-context.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import {
  after,
  conflict,
  neverAnswered,
  requestLost,
  responseLost,
  staleIndex,
  throttled,
} from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();

let phones = 15_550_000_000;
let phone: string;
let patient: Patient;
let lines: jest.SpiedFunction<typeof console.info>;
beforeEach(() => {
  phone = String(phones++);
  patient = newPatient(phone);
  lines = jest.spyOn(console, "info").mockReturnValue();
  retryWithoutWaiting();
});

/** Returns everything stored for the phone number: records and locks. */
async function stored() {
  const items = await storage.patientItems();
  return items.filter((item) => item.phone_number === phone || item.pk === phoneLockKey(TENANT, phone).pk);
}

describe("the look-ups of a patient, by identifiers and by name and date of birth,", () => {
  const BORN = "1980-01-02";
  /** No other test's patient has them. */
  const own = () => [{ system: "urn:ehr", value: `${phone}-1` }, { value: phone }];
  /** What the table has of the patient, besides the record. */
  const kept = async (id: string) => {
    const items = await storage.patientItems();
    return items
      .map(({ pk, patientId }) => ({ pk: String(pk), patientId }))
      .filter(({ pk, patientId }) => patientId === id || pk.includes(id))
      .map(({ pk }) => pk.split("#")[1])
      .sort();
  };

  test("are stored, changed and erased with the record, and nothing of them is left", async () => {
    process.env.ERASURE_DAYS = "35";
    const whole = { ...patient, birth_date: BORN, identifiers: own() };
    await storage.patients.insertPatient(CALLER, whole);
    expect(await kept(patient.id)).toEqual(["lookup", "lookup", "lookup", "patient", "phone"]);
    const changed = { ...whole, name: "Other Name", identifiers: [{ value: phone }], revision: "another" };
    expect(await storage.patients.updatePatient(CALLER, whole, changed)).toEqual({ kind: "updated" });
    expect(await kept(patient.id)).toEqual(["lookup", "lookup", "patient", "phone"]);
    expect(await storage.patients.readPatientsByLookup(CALLER, lookupOfIdentifier({ value: phone }))).toMatchObject([
      { id: patient.id },
    ]);
    await beginErasure(CALLER, patient.id);
    expect(await kept(patient.id)).toEqual(["erasure"]);
  });

  test("do not change if the record has been changed meanwhile", async () => {
    const whole = { ...patient, birth_date: BORN, identifiers: own() };
    await storage.patients.insertPatient(CALLER, whole);
    const stale = { ...whole, revision: "stale" };
    const changed = { ...whole, identifiers: [], revision: "another" };
    expect(await storage.patients.updatePatient(CALLER, stale, changed)).toEqual({ kind: "changed" });
    expect(await kept(patient.id)).toEqual(["lookup", "lookup", "lookup", "patient", "phone"]);
  });

  test("are compared with the record, because the index lags", async () => {
    const whole = { ...patient, birth_date: BORN, identifiers: own() };
    await storage.patients.insertPatient(CALLER, whole);
    const lookup = lookupOfIdentifier({ value: phone });
    const changed = { ...whole, identifiers: [], revision: "another" };
    storage.faults.fail(
      "GetItem",
      after(() => storage.patients.updatePatient(CALLER, whole, changed)),
    );
    expect(await storage.patients.readPatientsByLookup(CALLER, lookup)).toEqual([]);
  });
});

describe("a new patient", () => {
  test.each<[string, Fault, number]>([
    ["the database is down", requestLost, 3],
    ["the database stays throttled", throttled, 3],
    ["the number stays in conflict with other transactions", conflict, 21],
  ])("is an error in the end and not stored if %s", async (_, fault, tries) => {
    storage.faults.fail("TransactWriteItems", fault, Number.POSITIVE_INFINITY);
    await expect(storage.patients.insertPatient(CALLER, patient)).rejects.toThrow();
    expect(storage.faults.calls()).toBe(tries);
    expect(await stored()).toEqual([]);
  });
});

test("a new patient stays erased if a lost attempt had stored it and a client that has seen it has erased it since", async () => {
  process.env.ERASURE_DAYS = "35";
  const erased = after(() => beginErasure(CALLER, patient.id));
  for (const fault of [responseLost, conflict, erased]) {
    storage.faults.fail("TransactWriteItems", fault);
  }
  expect(await storage.patients.insertPatient(CALLER, patient)).toEqual({ kind: "inserted" });
  expect(await stored()).toEqual([]);
});

test("a call that never gets a response is given up and repeated", async () => {
  await storage.patients.insertPatient(CALLER, patient);
  storage.faults.fail("GetItem", neverAnswered);
  expect(await storage.patients.readPatient(CALLER, patient.id)).toEqual(patient);
  expect(storage.faults.calls("GetItem")).toBe(2);
});

test("a patient is found by phone before the index contains them, and the access is audited once", async () => {
  await storage.patients.insertPatient(CALLER, patient);
  lines.mockClear();
  storage.faults.fail("Query", staleIndex);
  expect(await inRequest(newContext(), () => storage.patients.readPatientByPhone(CALLER, phone, false))).toEqual(
    patient,
  );
  expect(storage.faults.calls("Query")).toBe(1);
  const { client, operation } = CALLER;
  expect(lines.mock.calls).toEqual([
    [{ event: "audit", xRequestId: "a-request", client, tenant: TENANT, operation, patientId: patient.id }],
  ]);
});

test("a phone number leads to its new owner, not to the previous one whom the index still has", async () => {
  const { readPatientByPhone, updatePatient } = storage.patients;
  const previous = { ...patient, id: randomUUID() };
  await storage.patients.insertPatient(CALLER, previous);
  let lagging: Awaited<ReturnType<Fault>>;
  storage.faults.fail("Query", async ({ forward }) => {
    lagging = await forward();
    return lagging;
  });
  expect(await readPatientByPhone(CALLER, phone, false)).toEqual(previous);
  await updatePatient(CALLER, previous, { ...previous, revision: "next", phone_number: undefined });
  storage.faults.fail("Query", () => lagging);
  expect(await readPatientByPhone(CALLER, phone, false)).toBeUndefined();

  await storage.patients.insertPatient(CALLER, patient);
  lines.mockClear();
  storage.faults.fail("Query", () => lagging);
  expect(await readPatientByPhone(CALLER, phone, false)).toEqual(patient);
  expect(JSON.stringify(lines.mock.calls)).not.toContain(previous.id);
  expect(storage.faults.calls(({ operation, body }) => operation === "GetItem" && !body.ConsistentRead)).toBe(0);
});

test("an access by the service itself is not audited", async () => {
  await storage.patients.insertPatient(SERVICE, patient);
  expect(await storage.patients.readPatient(SERVICE, patient.id)).toEqual(patient);
  expect(await storage.patients.readPatientByPhone(SERVICE, phone, false)).toEqual(patient);
  expect(lines).not.toHaveBeenCalled();
});
