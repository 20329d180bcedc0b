import { describe, expect, test } from "@jest/globals";
import { type Patient, summarize, toCreatedPatient, toPatientRecord } from "../../../shared/patients/patient.ts";

const full: Patient = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "Test Patient",
  phone_number: "15550000001",
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "API",
  revision: "a-revision",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

/** The body as the caller receives it, without undefined fields. */
const sent = (body: unknown) => JSON.parse(JSON.stringify(body));

test("the join_status that another channel stored is returned", () => {
  expect(toPatientRecord({ ...full, join_status: "WHATSAPP" }).join_status).toBe("WHATSAPP");
});

test("other stored attributes are never returned", () => {
  const stored = { ...full, internal: "not for callers" } as Patient;
  // The tests of the endpoints check what is returned.
  for (const shown of [toCreatedPatient(stored), toPatientRecord(stored), summarize(stored)]) {
    expect(shown).not.toHaveProperty("internal");
  }
});

describe("the existing patient in a 409", () => {
  test("consists of id, name and phone number", () => {
    expect(sent(summarize(full))).toEqual({ id: full.id, name: "Test Patient", phone_number: "15550000001" });
  });

  test("omits a missing name", () => {
    const { id, phone_number } = full;
    expect(sent(summarize({ ...full, name: undefined }))).toEqual({ id, phone_number });
  });
});
