import type { CreatedPatient, CreatePatientRequest, PatientRecord, PatientSummary } from "./patient-schemas.ts";

/** The largest record, serialized. DynamoDB's limit for an item is 400 KB, names and overhead included. */
export const RECORD_BYTES = 350 * 1024;

/** A patient as stored: what the caller gave, normalized, with our own fields. */
export interface Patient extends Omit<CreatePatientRequest, "join_status" | "name" | "phone_number"> {
  id: string;
  name?: string | undefined;
  /** 11 digits. */
  phone_number?: string | undefined;
  conditions: string[];
  medications: NonNullable<CreatePatientRequest["medications"]>;
  notes: Record<string, unknown>[];
  reminders_enabled: boolean;
  join_status: string;
  /** ISO 8601, UTC. */
  created_at: string;
  updated_at: string;
}

/** @returns what `POST /patients` answers with */
export function toCreatedPatient(patient: Patient): CreatedPatient {
  return {
    ...summarize(patient),
    conditions: patient.conditions,
    medications: patient.medications,
    allergies: patient.allergies,
    notes: patient.notes,
    reminders_enabled: patient.reminders_enabled,
    refill_info: patient.refill_info ?? null,
    join_status: "API",
    created_at: patient.created_at,
    updated_at: patient.updated_at,
  };
}

/** @returns what `GET /patients/{id}` answers with; fields that only other channels set have their defaults */
export function toPatientRecord(patient: Patient): PatientRecord {
  return {
    ...toCreatedPatient(patient),
    allergies: patient.allergies ?? null,
    join_status: patient.join_status,
    gender: patient.gender ?? null,
    age: patient.age ?? null,
    height: patient.height ?? null,
    weight: patient.weight ?? null,
    race: patient.race ?? null,
    blood_type: patient.blood_type ?? null,
    subscription_plan: "free",
    whatsapp_terms_accepted: false,
    never_show_audio_prompt: false,
    access_code: null,
    apple_messages_id: null,
    apple_messages_terms_accepted: false,
  };
}

/** @returns id, name and phone number: what a 409 says of the existing patient */
export function summarize(patient: Patient): PatientSummary {
  return { id: patient.id, name: patient.name, phone_number: patient.phone_number };
}
