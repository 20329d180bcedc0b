import { describe, historyOf, shownOf, UNNAMED_ALLERGY, UNNAMED_MEDICINE } from "./clinical.ts";
import type { ClinicalEntry } from "./clinical-entry.ts";
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
  Object.assign(facts, patient?.clinical && factsIn(patient.clinical));
  const { phone_number: _phone, reminders_enabled: _reminders, ...overriding } = override ?? {};
  for (const [name, value] of Object.entries(overriding)) {
    if (value !== undefined) {
      facts[name] = value;
    }
  }
  if (Array.isArray(facts.conditions)) {
    facts.conditions = facts.conditions.map(readable);
  }
  facts.not_checked = hasUnnamed(facts) ? NOT_CHECKED : undefined;
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmpty(value)));
}

/** What the model is told about medicines and allergies that are only codes. */
const NOT_CHECKED =
  "What is called unnamed is known only by a code, so interactions and allergies with it cannot be checked. Say so if medicines are asked about.";

/** Whether facts name a current medicine, or an allergy, of which only the code is known. */
export function hasUnnamed({ medications, allergies }: Facts): boolean {
  const names = [medications, allergies].flat().map((each) => (each as { name?: unknown } | undefined)?.name ?? each);
  return names.some((name) => typeof name === "string" && UNNAMED.test(name));
}

const UNNAMED = new RegExp(`(^|, )(${UNNAMED_MEDICINE}|${UNNAMED_ALLERGY}) \\(`);

/** What the model is told if the record does not say whether there are allergies, because silence reads as none. */
const NOT_KNOWN = "not known";

/**
 * Returns the facts in a clinical list that the specified fields do not show: what is known of each allergy; and
 * `history`, which holds no longer, is the reason for no caution, and may be left out of a prompt that is too long.
 */
function factsIn(clinical: readonly ClinicalEntry[]): Facts {
  const allergies = shownOf(clinical, "allergy").map(allergyFact);
  return {
    allergies: allergies.length > 0 ? allergies : NOT_KNOWN,
    history: historyFact(clinical),
  };
}

function allergyFact(entry: ClinicalEntry): unknown {
  const { criticality, reactions } = entry;
  const risk = criticality === "high" || criticality === "low" ? criticality : undefined;
  return risk || reactions?.length ? { name: describe(entry), risk, symptoms: reactions } : describe(entry);
}

function historyFact(clinical: readonly ClinicalEntry[]): Facts | undefined {
  const kinds = { conditions: "condition", allergies: "allergy", medications: "medication" } as const;
  const history = Object.entries(kinds)
    .map(([field, kind]) => [field, [...new Set(historyOf(clinical, kind).map(describe))]] as const)
    .filter(([, texts]) => texts.length > 0);
  return history.length > 0 ? Object.fromEntries(history) : undefined;
}

/** A condition may be an object with name and symptoms that was serialized to a string (specification, Resources). */
function readable(condition: unknown): unknown {
  if (typeof condition !== "string" || !condition.trimStart().startsWith("{")) {
    return condition;
  }
  try {
    const { name, symptoms } = JSON.parse(condition);
    const isListOrText = [symptoms ?? ""].flat().every((symptom) => typeof symptom === "string");
    return typeof name === "string" && isListOrText ? { name, symptoms } : condition;
  } catch {
    return condition;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
