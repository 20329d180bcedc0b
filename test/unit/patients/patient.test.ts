import { expect, test } from "@jest/globals";
import { type Patient, summarize, toCreatedPatient, toPatientRecord } from "../../../shared/patients/patient.ts";

const patient: Patient = {
  id: "00000000-0000-4000-8000-000000000001",
  phone_number: "15550000001",
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "WHATSAPP",
  revision: "a-revision",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

test("a patient that joined by another channel is shown with that channel", () => {
  expect(toPatientRecord(patient).join_status).toBe("WHATSAPP");
});

test("stored attributes that are not documented are never returned", () => {
  const stored = { ...patient, internal: "not for callers" } as Patient;
  for (const shown of [toCreatedPatient(stored), toPatientRecord(stored), summarize(stored)]) {
    expect(shown).not.toHaveProperty("internal");
    expect(shown).not.toHaveProperty("revision");
  }
});

test("the existing patient in a 409 has no name if none is known", () => {
  const { id, phone_number } = patient;
  expect(JSON.parse(JSON.stringify(summarize(patient)))).toEqual({ id, phone_number });
});
