import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { type Caller, SERVICE } from "../../shared/caller.ts";
import { patientKey, phoneLockKey } from "../../shared/dynamo/keys.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { inRequest } from "../../shared/request-context.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Fault } from "../helpers/database/fault-proxy.ts";
import {
  after,
  conflict,
  internalError,
  requestLost,
  responseLost,
  staleIndex,
  throttled,
} from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

let phones = 15_550_000_000;

/** A patient that is not stored yet, with a unique phone number. */
function newPatient(given: Partial<Patient> = {}): Patient {
  return {
    id: randomUUID(),
    name: "Test Person",
    phone_number: String(phones++),
    conditions: [],
    medications: [],
    notes: [],
    reminders_enabled: false,
    join_status: "API",
    revision: "a-revision",
    created_at: "2030-01-01T10:00:00.000Z",
    updated_at: "2030-01-01T10:00:00.000Z",
    ...given,
  };
}

/** Returns everything stored for a phone number: records and locks. */
async function storedFor(phone: string | undefined) {
  const items = await storage.patientItems();
  return items.filter((item) => item.phone_number === phone || item.pk === phoneLockKey(TENANT, phone ?? "").pk);
}

describe("storing a patient", () => {
  test("gives a phone number to one of 60 parallel creations; the others get that patient", async () => {
    const { phone_number } = newPatient();
    const patients = Array.from({ length: 60 }, () => newPatient({ phone_number }));
    const results = await Promise.all(patients.map((patient) => storage.patients.insertPatient(CALLER, patient)));

    const stored = patients.filter((_, index) => results[index]?.kind === "inserted");
    expect(stored).toHaveLength(1);
    const id = stored[0]?.id;
    expect(results.filter(({ kind }) => kind !== "inserted")).toEqual(
      Array(59).fill({ kind: "phone-taken", patientId: id }),
    );
    const items = await storedFor(phone_number);
    const keys = [patientKey(TENANT, String(id)), phoneLockKey(TENANT, String(phone_number))];
    expect(items.map(({ pk }) => pk).sort()).toEqual(keys.map(({ pk }) => pk).sort());
    expect(await storage.patients.readPatientByPhone(CALLER, String(phone_number))).toMatchObject({ id });
  });

  test("is rejected if another patient takes the number while the write is in transit", async () => {
    const [first, second] = [newPatient(), newPatient()];
    second.phone_number = first.phone_number;
    const overtaken = after(() => storage.patients.insertPatient(CALLER, first));
    storage.faults.fail("TransactWriteItems", overtaken);
    expect(await storage.patients.insertPatient(CALLER, second)).toEqual({ kind: "phone-taken", patientId: first.id });
    expect(await storage.patients.readPatient(CALLER, second.id)).toBeUndefined();
    expect(await storedFor(first.phone_number)).toHaveLength(2);
  });

  test("without a phone number works any number of times", async () => {
    const patients = Array.from({ length: 5 }, () => newPatient({ phone_number: undefined }));
    for (const patient of patients) {
      expect(await storage.patients.insertPatient(CALLER, patient)).toEqual({ kind: "inserted" });
      expect(await storage.patients.readPatient(CALLER, patient.id)).toMatchObject({
        id: patient.id,
        name: "Test Person",
      });
    }
  });

  test("preserves free-form objects with any nesting and any number", async () => {
    const freeForm = fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })).map(
      (value): Record<string, unknown> => JSON.parse(JSON.stringify(value)), // -0 is not JSON
    );
    await fc.assert(
      fc.asyncProperty(fc.array(freeForm, { maxLength: 3 }), freeForm, async (notes, refill_info) => {
        const patient = newPatient({ notes, refill_info });
        await storage.patients.insertPatient(CALLER, patient);
        expect(await storage.patients.readPatient(CALLER, patient.id)).toEqual(patient);
        expect(await storage.patients.readPatientByPhone(CALLER, String(patient.phone_number))).toEqual(patient);
      }),
      { numRuns: 50 },
    );
  });

  test("preserves every other field", async () => {
    const patient = newPatient({
      name: "Ünï ‮ test 🩺",
      conditions: ["", '{"name":"a","symptoms":["b"]}'],
      medications: [{ name: "a", dosage: "", frequency: "daily" }, {}],
      allergies: "",
      reminders_enabled: true,
      age: 42.5,
      gender: "x",
      height: "1",
      weight: "2",
      race: "3",
      blood_type: "0",
    });
    await storage.patients.insertPatient(CALLER, patient);
    expect(await storage.patients.readPatient(CALLER, patient.id)).toEqual(patient);
  });
});

describe("finding a patient", () => {
  test("by phone works before the index contains the patient", async () => {
    const patient = newPatient();
    await storage.patients.insertPatient(CALLER, patient);
    storage.faults.fail("Query", staleIndex);
    expect(await storage.patients.readPatientByPhone(CALLER, String(patient.phone_number))).toEqual(patient);
    expect(storage.faults.calls("Query")).toBe(1);
  });

  test("by an unknown phone number or id finds none", async () => {
    expect(await storage.patients.readPatientByPhone(CALLER, "19999999999")).toBeUndefined();
    expect(await storage.patients.readPatient(CALLER, randomUUID())).toBeUndefined();
  });

  test.each([throttled, internalError, requestLost])(
    "is retried after a transient failure of the database",
    async (fault) => {
      retryWithoutWaiting();
      const patient = newPatient();
      await storage.patients.insertPatient(CALLER, patient);
      storage.faults.fail("Query", fault, 2);
      storage.faults.fail("GetItem", fault, 2);
      expect(await storage.patients.readPatientByPhone(CALLER, String(patient.phone_number))).toEqual(patient);
      expect(await storage.patients.readPatient(CALLER, patient.id)).toEqual(patient);
    },
  );
});

describe("with a failing database", () => {
  beforeEach(retryWithoutWaiting);

  test.each<[string, Fault, number]>([
    ["other transactions on the same items", conflict, 5],
    ["throttling", throttled, 2],
    ["failures inside DynamoDB", internalError, 2],
    ["lost connections", requestLost, 2],
    ["lost responses to executed calls", responseLost, 2],
  ])("a patient is stored once and not reported as a duplicate despite %s", async (_, fault, times) => {
    const patient = newPatient();
    storage.faults.fail("TransactWriteItems", fault, times);
    expect(await storage.patients.insertPatient(CALLER, patient)).toEqual({ kind: "inserted" });
    expect(await storedFor(patient.phone_number)).toHaveLength(2);
    expect(await storage.patients.insertPatient(CALLER, newPatient({ phone_number: patient.phone_number }))).toEqual({
      kind: "phone-taken",
      patientId: patient.id,
    });
  });

  test.each<[string, Fault, number]>([
    ["a database that is down", requestLost, 3],
    ["permanent throttling", throttled, 3],
    ["a number that stays in conflict with other transactions", conflict, 11],
  ])("%s causes an error in the end, and nothing is stored", async (_, fault, tries) => {
    const patient = newPatient();
    storage.faults.fail("TransactWriteItems", fault, Number.POSITIVE_INFINITY);
    await expect(storage.patients.insertPatient(CALLER, patient)).rejects.toThrow();
    expect(storage.faults.calls()).toBe(tries);
    expect(await storedFor(patient.phone_number)).toEqual([]);
  });
});

describe("an audit line", () => {
  let lines: jest.SpiedFunction<typeof console.info>;
  beforeEach(() => {
    lines = jest.spyOn(console, "info").mockReturnValue();
  });

  /** Stores a patient and reads it in both ways; returns the number of lines that each step logs. */
  async function accesses(caller: Caller, { id, phone_number = "" }: Patient): Promise<number[]> {
    const steps = [
      () => storage.patients.insertPatient(caller, newPatient({ id, phone_number })),
      () => storage.patients.readPatient(caller, id),
      () => storage.patients.readPatientByPhone(caller, phone_number),
    ];
    const counts: number[] = [];
    for (const step of steps) {
      lines.mockClear();
      await step();
      counts.push(lines.mock.calls.length);
    }
    return counts;
  }

  test("is not written for accesses by the service itself", async () => {
    expect(await accesses(SERVICE, newPatient())).toEqual([0, 0, 0]);
  });

  test("is written once per access, by index or by phone lock", async () => {
    const patient = newPatient();
    expect(await accesses(CALLER, patient)).toEqual([1, 1, 1]);
    storage.faults.fail("Query", staleIndex);
    lines.mockClear();
    await inRequest(newContext(), () => storage.patients.readPatientByPhone(CALLER, patient.phone_number ?? ""));
    expect(lines.mock.calls).toEqual([
      [
        {
          event: "audit",
          requestId: "a-request",
          client: CALLER.client,
          tenant: TENANT,
          operation: CALLER.operation,
          patientId: patient.id,
        },
      ],
    ]);
  });

  test("is not written for an unknown patient or a taken phone number", async () => {
    const { id, phone_number = "" } = newPatient();
    await storage.patients.insertPatient(CALLER, newPatient({ phone_number }));
    lines.mockClear();
    await storage.patients.readPatient(CALLER, id);
    await storage.patients.readPatientByPhone(CALLER, "15559999999");
    await storage.patients.insertPatient(CALLER, newPatient({ phone_number }));
    expect(lines).not.toHaveBeenCalled();
  });
});
