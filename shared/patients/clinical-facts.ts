import { DEMOGRAPHICS } from "./demographics.ts";
import type { Patient } from "./patient.ts";
import type { PatientData } from "./patient-data.ts";

/** What is known of a patient and may be sent to the model: names of fields, and values as they are stored or were sent. */
export type Facts = Record<string, unknown>;

/** The stored fields that a model may see, in addition to the demographics. */
const CLINICAL = ["conditions", "allergies", "medications", "notes", "refill_info"] as const;

/**
 * The facts that may be sent to the model. Never among them: the phone number, access codes, the ids of messaging
 * services, the subscription plan.
 *
 * @param patient the stored record, if any
 * @param override `patientData` of the request; it wins field by field
 */
export function clinicalFacts(patient: Patient | undefined, override: PatientData | undefined): Facts {
  const facts: Facts = {};
  for (const name of ["name", ...DEMOGRAPHICS, ...CLINICAL] as const) {
    facts[name] = patient?.[name];
  }
  const { phone_number: _phone, reminders_enabled: _reminders, ...overriding } = override ?? {};
  for (const [name, value] of Object.entries(overriding)) {
    if (value !== undefined) {
      facts[name] = value;
    }
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
