import { ageAt } from "./birth-date.ts";
import { rendered } from "./clinical.ts";
import type { ClinicalEntry } from "./clinical-entry.ts";
import { DEMOGRAPHICS, type Demographic } from "./demographics.ts";
import type { Identifier } from "./lookups.ts";
import type { CreatePatientRequest } from "./patient-requests.ts";
import type { CreatedPatient, PatientRecord, PatientSummary } from "./patient-responses.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ensures that phone locks, which are in the same table, cannot be read. */
export function isPatientId(id: string): boolean {
  return UUID.test(id);
}

/** The `error` of a 404 for a patientId in a request body (specification, Errors). */
export const PATIENT_UNKNOWN = { error: "Patient not found with the provided ID", code: "patient-not-found" };

/** The `error` of a 404 for a patient's id in a path (specification, Errors). */
export const PATIENT_GONE = { error: "Patient not found", code: "patient-not-found" };

/** The `error` of a 409 for a phone number that another patient has (specification, Errors). */
export const PHONE_TAKEN = { error: "Patient with this phone number already exists", code: "phone-number-taken" };

/** The `error` of a 412. */
export const PATIENT_CHANGED = "Patient was changed since it was read";

/** The fields of a record that callers set. */
export type PatientFields = Omit<CreatePatientRequest, "join_status" | "phone_number"> & {
  /** Normalized. */
  phone_number?: string | undefined;
  /** Imported, with the numbers of other systems that name the person. */
  identifiers?: Identifier[] | undefined;
  /** Imported entries. What is rendered from them is {@link derived}, and never stored. */
  clinical?: ClinicalEntry[] | undefined;
};

/** A patient as stored: the caller's fields, normalized, and the service's own. */
export interface Patient extends Omit<PatientFields, "name" | "phone_number"> {
  id: string;
  name?: string | undefined;
  /** As `normalizePhone` returns it. */
  phone_number?: string | undefined;
  conditions: string[];
  medications: NonNullable<CreatePatientRequest["medications"]>;
  notes: Record<string, unknown>[];
  reminders_enabled: boolean;
  join_status: string;
  /** Changes with each write. Callers see it only as the entity tag. */
  revision: string;
  /** The partition key of the idempotency record of its creation, which is deleted with it. */
  creationRecord?: string | undefined;
  /** ISO 8601, UTC. */
  created_at: string;
  updated_at: string;
}

/**
 * Returns the fields of a patient that are not stored, because they follow from others: the age from the date of birth,
 * and conditions, allergies and medications from the clinical list. Whatever reads these fields reads what follows.
 */
export function derived({ birth_date, clinical }: Pick<PatientFields, "birth_date" | "clinical">): Partial<Patient> {
  return {
    ...(birth_date !== undefined && { age: ageAt(birth_date) }),
    ...(clinical !== undefined && rendered(clinical)),
  };
}

/** @returns the patient object of `POST /patients` */
export function toCreatedPatient(patient: Patient): CreatedPatient {
  return {
    ...summarize(patient),
    conditions: patient.conditions,
    medications: patient.medications,
    allergies: patient.allergies,
    notes: patient.notes,
    reminders_enabled: patient.reminders_enabled,
    refill_info: patient.refill_info ?? null,
    consent: patient.consent,
    join_status: "API",
    created_at: patient.created_at,
    updated_at: patient.updated_at,
  };
}

/** @returns the patient object of `GET /patients/{id}`; fields that only other channels set have their defaults */
export function toPatientRecord(patient: Patient): PatientRecord {
  return {
    ...toCreatedPatient(patient),
    allergies: patient.allergies ?? null,
    join_status: patient.join_status,
    ...demographicsOf(patient),
    subscription_plan: "free",
    whatsapp_terms_accepted: false,
    never_show_audio_prompt: false,
    access_code: null,
    apple_messages_id: null,
    apple_messages_terms_accepted: false,
  };
}

function demographicsOf(patient: Patient): Pick<PatientRecord, Demographic> {
  return Object.fromEntries(DEMOGRAPHICS.map((name) => [name, patient[name] ?? null])) as Pick<
    PatientRecord,
    Demographic
  >;
}

/** @returns the existing patient's id, name and phone number, for a 409 */
export function summarize(patient: Patient): PatientSummary {
  return { id: patient.id, name: patient.name, phone_number: patient.phone_number };
}
