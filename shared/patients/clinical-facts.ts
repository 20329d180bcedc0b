import { DEMOGRAPHICS } from "./demographics.ts";
import type { Patient } from "./patient.ts";
import type { PatientData } from "./patient-data.ts";

/** The facts about a patient that may be sent to the model, by field name, with their values as stored or sent. */
export type Facts = Record<string, unknown>;

/** The stored fields that are sent to the model, in addition to name and demographics. */
const CLINICAL = ["conditions", "allergies", "medications", "notes", "refill_info"] as const;

/**
 * Selects the facts that may be sent to the model. They never include the phone number, access codes, messaging ids or
 * the subscription plan.
 *
 * @param patient the stored record, if any
 * @param override `patientData` of the request; overrides the record field by field
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
