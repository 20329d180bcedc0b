import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** Formats of a phone number that the specification names, from its ten digits. */
export const NOTATIONS: Record<string, (digits: string) => string> = {
  "E.164": (digits) => `+1${digits}`,
  "11 digits": (digits) => `1${digits}`,
  "10 digits": (digits) => digits,
  parentheses: (digits) => `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
  dashes: (digits) => digits.replace(/^(...)(...)/, "$1-$2-"),
  dots: (digits) => digits.replace(/^(...)(...)/, "$1.$2."),
};

/**
 * The ten digits of a phone number that belongs to nobody: area codes of the North American Numbering Plan start with 2
 * to 9 (ITU-T E.164, country code 1; NANPA, "Area codes"). There are a billion of them, so that no two runs have the same.
 */
function nobodysDigits(): string {
  return `0${String(randomInt(1e9)).padStart(9, "0")}`;
}

/** A number and an id that no patient has. */
export const NOBODYS_NUMBER = `+1${nobodysDigits()}`;
export const NOBODYS_ID = "00000000-0000-4000-8000-000000000000";

/** The fields of a patient with a whole record, and of one that is corrected and erased. */
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
  /** The responses to its creation, and what any response about it contains. */
  readonly created: z.ZodType;
  private readonly fields: Fields;
  private readonly digits = nobodysDigits();
  private readonly common: Record<string, z.ZodType>;

  constructor(fields: Fields) {
    const { name, conditions = [], medications = [], notes = [], allergies, refill_info = null } = fields;
    this.fields = fields;
    this.request = { ...fields, phone_number: this.number("parentheses") };
    this.common = {
      name: exactly(name),
      phone_number: exactly(this.number("11 digits")),
      conditions: exactly(conditions),
      medications: exactly(medications),
      notes: exactly(notes),
      reminders_enabled: z.literal(false),
      join_status: z.literal("API"),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    };
    const optional = { ...(allergies && { allergies: exactly(allergies) }), refill_info: exactly(refill_info) };
    this.created = succeeded({ patient: z.strictObject({ id: z.uuid(), ...this.common, ...optional }) });
  }

  /** The phone number in one of the {@link NOTATIONS}. */
  number(notation: string): string {
    return NOTATIONS[notation]?.(this.digits) ?? "";
  }

  /** What a search returns for the patient. */
  summary(id: string) {
    return { id, name: this.fields.name, phone_number: this.number("11 digits") };
  }

  /** The response to a request for a second patient with this number. */
  existing(id: string): z.ZodType {
    return z.strictObject({
      error: z.literal("Patient with this phone number already exists"),
      patient: exactly(this.summary(id)),
    });
  }

  /** The whole record. `allergies` is given where they were changed. */
  record(id: string, allergies: string | null = this.fields.allergies ?? null): z.ZodType {
    const { refill_info, gender, age, height, weight, race, blood_type } = this.fields;
    const optional = { allergies, refill_info, gender, age, height, weight, race, blood_type };
    const values = Object.entries(optional).map(([name, value]) => [name, exactly(value ?? null)]);
    const patient = {
      ...{ id: z.literal(id), ...this.common, ...Object.fromEntries(values) },
      subscription_plan: z.literal("free"),
      whatsapp_terms_accepted: z.literal(false),
      never_show_audio_prompt: z.literal(false),
      access_code: z.null(),
      apple_messages_id: z.null(),
      apple_messages_terms_accepted: z.literal(false),
    };
    return succeeded({ patient: z.strictObject(patient) });
  }

  /** An export of the patient, whose record is {@link SHORT}, without threads. */
  exported(id: string): z.ZodType {
    const { age, gender } = this.fields;
    const own = { id: z.literal(id), ...this.common, age: exactly(age), gender: exactly(gender) };
    return succeeded({ exportedAt: z.iso.datetime(), patient: z.strictObject(own), threads: exactly([]) });
  }
}

const succeeded = (fields: Record<string, z.ZodType>) => z.strictObject({ success: z.literal(true), ...fields });

/** Matches one value, and does not show it. */
export function exactly(value: unknown): z.ZodType {
  return z.unknown().refine((other) => isDeepStrictEqual(other, value), "expected another value");
}
