import type { Patient, UpdatePatientRequest } from "../../packages/client/client.js";
import { conditionName, phoneText } from "./chart.ts";

type Field = "name" | "phone_number" | "age" | "gender" | "allergies" | "conditions" | "medications" | "consent";
type Medication = NonNullable<Patient["medications"]>[number];

/** The fields of a record that a form can change; undefined for a patient who is yet to be created. */
type Editable = Partial<Pick<Patient, Field>> | undefined;

/** A record as a form shows it: conditions and medications have one line each, a consent and its version two fields. */
export type RecordText = Record<Field | "consentVersion", string>;

/** The text of each field, with single spaces. */
export function recordText(patient: Editable): RecordText {
  const { name, phone_number, age, gender, allergies, conditions, medications, consent } = patient ?? {};
  return tidy({
    name: name ?? "",
    phone_number: phoneText(phone_number ?? ""),
    age: String(age ?? ""),
    gender: gender ?? "",
    allergies: allergies ?? "",
    conditions: (conditions ?? []).map(conditionLine).join("\n"),
    medications: (medications ?? []).map(medicationLine).join("\n"),
    consent: consent ? (consent.given ? "given" : "not given") : "",
    consentVersion: consent?.version ?? "",
  });
}

/**
 * A merge patch with what was changed in a form, and nothing else; null for a field that was emptied. For a new patient
 * this is the whole record. An unchanged line of a list keeps its stored value, of which the form may show only a part.
 *
 * @param now the time of a consent that was changed
 */
export function changesOf(patient: Editable, typed: RecordText, now = new Date()): UpdatePatientRequest {
  const { consentVersion, ...text } = tidy(typed);
  const values: UpdatePatientRequest = {
    ...text,
    consent: { given: text.consent === "given", at: now.toISOString(), version: consentVersion },
    age: Number(text.age),
    conditions: listOf(text.conditions, patient?.conditions ?? [], conditionLine, (line) => line),
    medications: listOf(text.medications, patient?.medications ?? [], medicationLine, parseMedication).map(
      (medication) => ({ ...medication, name: medication.name ?? "" }), // which the service refuses, and says so
    ),
  };
  const changed = differences(recordText(patient), { ...text, consentVersion }).map((name) =>
    name === "consentVersion" ? "consent" : name,
  );
  const stored = recordText(patient);
  return Object.fromEntries(
    changed
      .filter((field) => text[field] || stored[field]) // a version alone is no consent
      .map((field) => [field, text[field] ? values[field] : null]),
  );
}

/**
 * What was typed, applied to a record that was changed in the meantime: a field that was left alone is the current one.
 */
export function rebase(before: RecordText, typed: RecordText, current: RecordText): RecordText {
  const changed = Object.fromEntries(differences(before, tidy(typed)).map((field) => [field, typed[field]]));
  return { ...current, ...changed };
}

/** The fields in which two texts of a record differ. */
export function differences(one: RecordText, other: RecordText): (keyof RecordText)[] {
  return (Object.keys(one) as (keyof RecordText)[]).filter((field) => one[field] !== other[field]);
}

/** With single spaces, and without empty lines. */
function tidy(text: RecordText): RecordText {
  const lists: string[] = ["conditions", "medications"] satisfies Field[];
  const entries = Object.entries(text).map(([field, value]) => [
    field,
    lists.includes(field) ? value.split("\n").map(line).filter(Boolean).join("\n") : line(value),
  ]);
  return Object.fromEntries(entries);
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function conditionLine(condition: string): string {
  return line(conditionName(condition));
}

function medicationLine({ name = "", dosage = "", frequency = "" }: Medication): string {
  return line([name, dosage, frequency].join(", ")).replace(/[ ,]+$/, "");
}

function parseMedication(text: string): Medication {
  const [name, dosage, ...frequency] = text.split(",").map(line);
  return {
    ...(name && { name }),
    ...(dosage && { dosage }),
    ...(frequency.length > 0 && { frequency: frequency.join(", ") }),
  };
}

function listOf<T>(text: string, stored: readonly T[], lineOf: (value: T) => string, parse: (line: string) => T): T[] {
  const left = [...stored];
  return text.split("\n").flatMap((typed) => {
    const index = left.findIndex((value) => lineOf(value) === typed);
    return index < 0 ? [parse(typed)] : left.splice(index, 1);
  });
}
