import type { CreatePatientRequest, Patient, UpdatePatientRequest } from "../../client/client.js";
import { conditionName, phoneText } from "./chart.ts";

type Field = "name" | "phone_number" | "age" | "gender" | "allergies" | "conditions" | "medications";
type Medication = NonNullable<CreatePatientRequest["medications"]>[number];

/** The fields of a record that a form can change; undefined for a patient who is yet to be created. */
type Editable = Partial<Pick<Patient, Field>> | undefined;

/** A record as a form shows it: conditions and medications have one line each. */
export type RecordText = Record<Field, string>;

/** The text of each field, with single spaces. */
export function recordText(patient: Editable): RecordText {
  const { name, phone_number, age, gender, allergies, conditions, medications } = patient ?? {};
  return tidy({
    name: name ?? "",
    phone_number: phoneText(phone_number ?? ""),
    age: String(age ?? ""),
    gender: gender ?? "",
    allergies: allergies ?? "",
    conditions: (conditions ?? []).map(conditionLine).join("\n"),
    medications: (medications ?? []).map(medicationLine).join("\n"),
  });
}

/**
 * A merge patch with what was changed in a form, and nothing else; null for a field that was emptied. For a new patient
 * this is the whole record. An unchanged line of a list keeps its stored value, of which the form may show only a part.
 */
export function changesOf(patient: Editable, typed: RecordText): UpdatePatientRequest {
  const text = tidy(typed);
  const values: UpdatePatientRequest = {
    ...text,
    age: Number(text.age),
    conditions: listOf(text.conditions, patient?.conditions ?? [], conditionLine, (line) => line),
    medications: listOf(text.medications, patient?.medications ?? [], medicationLine, parseMedication),
  };
  return Object.fromEntries(
    differences(recordText(patient), text).map((field) => [field, text[field] ? values[field] : null]),
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
export function differences(one: RecordText, other: RecordText): Field[] {
  return (Object.keys(one) as Field[]).filter((field) => one[field] !== other[field]);
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
