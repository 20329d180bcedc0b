import { describe, expect, test } from "@jest/globals";
import { type Patient, summarize, toCreatedPatient, toPatientRecord } from "../../../shared/patients/patient.ts";

/** A patient with only a name. */
const minimal: Patient = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "Test Patient",
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "API",
  revision: "a-revision",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

const full: Patient = {
  ...minimal,
  phone_number: "15550000001",
  conditions: ["condition one", '{"name":"condition two","symptoms":["symptom"]}'],
  medications: [{ name: "medicine", dosage: "1 mg", frequency: "daily" }],
  allergies: "allergen one, allergen two",
  notes: [{ text: "note", nested: { deep: [1, null] } }],
  reminders_enabled: true,
  refill_info: { refills: 2 },
  gender: "female",
  age: 0,
  height: "170 cm",
  weight: "60 kg",
  race: "not said",
  blood_type: "AB-",
};

/** The body as the caller receives it, without undefined fields. */
const sent = (body: unknown) => JSON.parse(JSON.stringify(body));

describe("the patient that POST /patients returns", () => {
  test("has the documented fields, as stored", () => {
    expect(sent(toCreatedPatient(full))).toEqual({
      id: full.id,
      name: "Test Patient",
      phone_number: "15550000001",
      conditions: full.conditions,
      medications: full.medications,
      allergies: "allergen one, allergen two",
      notes: full.notes,
      reminders_enabled: true,
      refill_info: { refills: 2 },
      join_status: "API",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-02T00:00:00.000Z",
    });
  });

  test("has null for missing refill information, and omits a missing name, phone number and allergies", () => {
    expect(sent(toCreatedPatient({ ...minimal, name: undefined }))).toEqual({
      id: minimal.id,
      conditions: [],
      medications: [],
      notes: [],
      reminders_enabled: false,
      refill_info: null,
      join_status: "API",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-02T00:00:00.000Z",
    });
  });
});

describe("the patient that GET /patients/{id} returns", () => {
  test("has the documented additional fields, as stored", () => {
    expect(sent(toPatientRecord(full))).toEqual({
      ...sent(toCreatedPatient(full)),
      gender: "female",
      age: 0,
      height: "170 cm",
      weight: "60 kg",
      race: "not said",
      blood_type: "AB-",
      subscription_plan: "free",
      whatsapp_terms_accepted: false,
      never_show_audio_prompt: false,
      access_code: null,
      apple_messages_id: null,
      apple_messages_terms_accepted: false,
    });
  });

  test("has null for unknown values and defaults for fields that only other channels set", () => {
    expect(sent(toPatientRecord({ ...minimal, name: undefined }))).toEqual({
      ...sent(toCreatedPatient({ ...minimal, name: undefined })),
      allergies: null,
      gender: null,
      age: null,
      height: null,
      weight: null,
      race: null,
      blood_type: null,
      subscription_plan: "free",
      whatsapp_terms_accepted: false,
      never_show_audio_prompt: false,
      access_code: null,
      apple_messages_id: null,
      apple_messages_terms_accepted: false,
    });
  });

  test("has the stored join_status", () => {
    expect(toPatientRecord({ ...minimal, join_status: "WHATSAPP" }).join_status).toBe("WHATSAPP");
  });
});

test("other stored attributes are never returned", () => {
  const stored = { ...full, internal: "not for callers" } as Patient;
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
