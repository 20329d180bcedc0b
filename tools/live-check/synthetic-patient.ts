import { randomInt } from "node:crypto";
import * as z from "zod";
import { exactly, plainError, succeeded } from "./bodies.ts";

/**
 * The ten digits of a phone number that belongs to nobody: area codes of the North American Numbering Plan start with 2
 * to 9 (ITU-T E.164, country code 1; NANPA, "Area codes"). There are a billion of them, so that no two runs have the same.
 */
function nobodysDigits(): string {
  return `0${String(randomInt(1e9)).padStart(9, "0")}`;
}

/** An id that no patient has. */
export const NOBODYS_ID = "00000000-0000-4000-8000-000000000000";

/**
 * The fields of a patient with a whole record, and of one that is corrected and erased. With an age and a gender, no
 * thread begins with a question from the model.
 */
export const WHOLE = {
  name: "Live Check (synthetic)",
  conditions: ["synthetic record of the live check"],
  medications: [{ name: "none", dosage: "0 mg", frequency: "never" }],
  allergies: "none",
  notes: [{ text: "This record belongs to nobody." }],
  reminders_enabled: false,
  refill_info: { pharmacy: "none" },
  gender: "none",
  age: 40,
  height: "0 cm",
  weight: "0 kg",
  race: "none",
  blood_type: "none",
};
export const SHORT = { name: "Live Check (erased)", age: 40, gender: "none" };

type Fields = Partial<typeof WHOLE> & { name: string };

/** A patient whom a run creates and erases, with a phone number of its own, so that several runs can check one service. */
export class SyntheticPatient {
  /** The body that creates the patient. */
  readonly request: Fields & { phone_number: string };
  /** The number in E.164. */
  readonly phone: string;
  /** The response to the patient's creation. */
  readonly created: z.ZodType;
  private readonly fields: Fields;
  private readonly common: Record<string, z.ZodType>;

  constructor(fields: Fields) {
    const digits = nobodysDigits();
    const { name, conditions = [], medications = [], notes = [], allergies, refill_info = null } = fields;
    this.fields = fields;
    this.phone = `+1${digits}`;
    this.request = { ...fields, phone_number: digits.replace(/^(...)(...)/, "($1) $2-") };
    this.common = {
      ...valuesOf({ name, phone_number: `1${digits}`, conditions, medications, notes }),
      reminders_enabled: z.literal(false),
      join_status: z.literal("API"),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    };
    const optional = valuesOf({ ...(allergies && { allergies }), refill_info });
    this.created = succeeded({ patient: z.strictObject({ id: z.uuid(), ...this.common, ...optional }) });
  }

  /** What a search returns for the patient. */
  summary(id: string) {
    return { id, name: this.fields.name, phone_number: this.phone.slice(1) };
  }

  /** The response to a request for a second patient with this number. */
  existing(id: string): z.ZodType {
    return plainError("Patient with this phone number already exists").extend({ patient: exactly(this.summary(id)) });
  }

  /** The response with the whole record. `allergies` is given where they were changed. */
  record(id: string, allergies: string | null = this.fields.allergies ?? null): z.ZodType {
    const { refill_info, gender, age, height, weight, race, blood_type } = this.fields;
    const optional = { refill_info, gender, age, height, weight, race, blood_type };
    const patient = {
      ...{ id: z.literal(id), ...this.common, ...valuesOf({ ...optional, allergies }) },
      subscription_plan: z.literal("free"),
      whatsapp_terms_accepted: z.literal(false),
      never_show_audio_prompt: z.literal(false),
      access_code: z.null(),
      apple_messages_id: z.null(),
      apple_messages_terms_accepted: z.literal(false),
    };
    return succeeded({ patient: z.strictObject(patient) });
  }

  /** The patient in an export. */
  exported(id: string): z.ZodType {
    return z.strictObject({ ...valuesOf(this.fields), id: z.literal(id), ...this.common });
  }
}

/** Fields with exactly these values, null for an undefined one. */
function valuesOf(fields: Record<string, unknown>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, exactly(value ?? null)]));
}
