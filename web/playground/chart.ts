import type { CreatePatientRequest, Patient } from "../../packages/client/client.js";

type ShownPatient = Pick<
  Patient | CreatePatientRequest,
  "name" | "phone_number" | "age" | "gender" | "conditions" | "medications" | "allergies" | "consent"
>;

/** A patient's record as the header of a chart shows it. */
export interface Chart {
  /** Age, gender, phone number and consent, as far as they are known. */
  demographics: string;
  facts: { label: string; values: string[]; alert: boolean }[];
}

/** What clinicians want in view: age, gender, allergies, medications and conditions, what is most dangerous first. */
export function chart({ age, gender, phone_number, consent, ...lists }: ShownPatient): Chart {
  const { conditions, medications, allergies } = lists;
  const phone = phone_number ? phoneText(phone_number) : undefined;
  const years = typeof age === "number" ? `${age} years` : undefined;
  return {
    demographics:
      [years, gender, phone, consent && consentText(consent)].filter(Boolean).join(" · ") || "No details recorded",
    facts: [
      { label: "Allergies", values: splitList(allergies), alert: true },
      {
        label: "Medications",
        values: (medications ?? []).map((medication) =>
          [medication.name, medication.dosage, medication.frequency].filter(Boolean).join(" "),
        ),
        alert: false,
      },
      { label: "Conditions", values: (conditions ?? []).map(conditionName), alert: false },
    ],
  };
}

function consentText({ given, version }: NonNullable<ShownPatient["consent"]>): string {
  return given ? `consent given (${version})` : `no consent (${version})`;
}

export function nameOf({ name }: Pick<ShownPatient, "name">): string {
  return name?.trim() || "Patient without a name";
}

/**
 * A phone number as the service reads it: 10 digits have the country code 1. Another country's gets the plus that a stored
 * number lacks: without it, it would be somebody else's.
 *
 * @param number as stored, or as written in any other way than ten digits alone
 */
export function phoneText(number: string): string {
  if (/^\d{8,15}$/.test(number) && number.length !== 11) {
    return `+${number}`;
  }
  const isForeign = /^[^\d]*\+[^\d]*[2-9]/.test(number);
  const [, country, area, exchange, line] = /^(\d)?(\d{3})(\d{3})(\d{4})$/.exec(number.replaceAll(/\D/g, "")) ?? [];
  return area && !isForeign ? `+${country ?? 1} ${area} ${exchange} ${line}` : number;
}

/** Up to two letters for the patient's picture. */
export function initials(patient: Pick<ShownPatient, "name">): string {
  const words = (patient.name ?? "").trim().split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}

/** A condition may be a serialized object with a name. */
export function conditionName(condition: string): string {
  try {
    const { name } = JSON.parse(condition);
    return typeof name === "string" ? name : condition;
  } catch {
    return condition;
  }
}

function splitList(text: string | null | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}
