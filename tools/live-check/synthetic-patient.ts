import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** The record that each run creates and erases. Its number is also reserved for fictional use. */
export const ERASABLE_PATIENT = {
  name: "Live Check (erased)",
  phone_number: "+1 (202) 555-0144",
  age: 40,
  gender: "none",
};

/**
 * The one record that the check leaves behind, so that each run finds the same one. Its number is reserved for fictional
 * use (555-0100 to 555-0199 in any area code). Never change it: a deployment keeps the record that the first run
 * created, and later runs expect it unchanged.
 */
export const SYNTHETIC_PATIENT = {
  name: "Live Check (synthetic)",
  phone_number: "+1 (202) 555-0143",
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

/** The number as stored, and in every format that the specification names. */
export const STORED_NUMBER = "12025550143";
export const NOTATIONS = {
  "E.164": "+12025550143",
  "11 digits": "12025550143",
  "10 digits": "2025550143",
  parentheses: "(202) 555-0143",
  dashes: "202-555-0143",
  dots: "202.555.0143",
};

/** Also reserved for fictional use; the check never creates a patient with this number or id. */
export const NOBODYS_NUMBER = "+1 (202) 555-0199";
export const NOBODYS_ID = "00000000-0000-4000-8000-000000000000";

const { name, phone_number: _, conditions, medications, allergies, notes, refill_info, ...others } = SYNTHETIC_PATIENT;
const { reminders_enabled, ...demographics } = others;

const common = {
  id: z.uuid(),
  name: z.literal(name),
  phone_number: z.literal(STORED_NUMBER),
  conditions: exactly(conditions),
  medications: exactly(medications),
  allergies: z.literal(allergies),
  notes: exactly(notes),
  reminders_enabled: z.literal(reminders_enabled),
  refill_info: exactly(refill_info),
  join_status: z.literal("API"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const createdPatient = z.strictObject({ success: z.literal(true), patient: z.strictObject(common) });

export const existingPatient = (id: z.ZodType) =>
  z.strictObject({
    error: z.literal("Patient with this phone number already exists"),
    patient: z.strictObject({ id, name: common.name, phone_number: common.phone_number }),
  });

export const patientRecord = (id: string) =>
  z.strictObject({
    success: z.literal(true),
    patient: z.strictObject({
      ...common,
      id: z.literal(id),
      gender: z.literal(demographics.gender),
      age: z.literal(demographics.age),
      height: z.literal(demographics.height),
      weight: z.literal(demographics.weight),
      race: z.literal(demographics.race),
      blood_type: z.literal(demographics.blood_type),
      subscription_plan: z.literal("free"),
      whatsapp_terms_accepted: z.literal(false),
      never_show_audio_prompt: z.literal(false),
      access_code: z.null(),
      apple_messages_id: z.null(),
      apple_messages_terms_accepted: z.literal(false),
    }),
  });

function exactly(value: unknown) {
  return z.unknown().refine((other) => isDeepStrictEqual(other, value), "expected the value that was sent");
}
