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
  if (Array.isArray(facts.conditions)) {
    facts.conditions = facts.conditions.map(readable);
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmpty(value)));
}

/** A condition may be an object with name and symptoms that was serialized to a string (specification, Resources). */
function readable(condition: unknown): unknown {
  if (typeof condition !== "string" || !condition.trimStart().startsWith("{")) {
    return condition;
  }
  try {
    const { name, symptoms } = JSON.parse(condition);
    return name === undefined ? condition : { name, symptoms };
  } catch {
    return condition;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
