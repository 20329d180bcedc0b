import * as z from "zod/mini";
import { freeFormObject, text } from "../http/fields.ts";

/** The largest record, serialized. DynamoDB's limit for an item is 400 KB, names and overhead included. */
export const RECORD_BYTES = 350 * 1024;

/**
 * An age in years, fractions included. DynamoDB has no numbers between 0 and 1e-130, and nobody is that young.
 */
export const age = z.number().check(
  z.refine((years) => years === 0 || (years >= 0.001 && years <= 150), { error: "must be 0, or from 0.001 to 150" }),
  z.meta({ description: "Years", minimum: 0, maximum: 150 }),
);

const medication = z.object({
  name: z.optional(text()),
  dosage: z.optional(text()),
  frequency: z.optional(text()),
});

/** Facts about the body, taken on creation and returned by `GET /patients/{id}`. */
const demographics = {
  gender: z.optional(text()),
  age: z.optional(age),
  height: z.optional(text()),
  weight: z.optional(text()),
  race: z.optional(text()),
  blood_type: z.optional(text()),
};

/** Body of `POST /patients`. Each field is optional, but a patient needs a name or a phone number. */
export const createPatientRequest = z
  .object({
    name: z.optional(text().check(z.meta({ description: "Full name", examples: ["Maria Lopez"] }))),
    phone_number: z.optional(
      text().check(
        z.meta({
          description: "Any notation; 10 digits get the country code 1, and 11 digits must result",
          examples: ["+1 (555) 123-4567"],
        }),
      ),
    ),
    conditions: z.optional(
      z
        .array(text())
        .check(
          z.meta({ description: "Medical conditions; an element may hold a serialized object with name and symptoms" }),
        ),
    ),
    medications: z.optional(z.array(medication)),
    allergies: z.optional(
      text().check(z.meta({ description: "Comma-separated or a single string", examples: ["penicillin"] })),
    ),
    notes: z.optional(
      z.array(freeFormObject(RECORD_BYTES)).check(z.meta({ description: "Additional patient information" })),
    ),
    reminders_enabled: z.optional(z.boolean().check(z.meta({ description: "Default false" }))),
    refill_info: z.optional(
      freeFormObject(RECORD_BYTES).check(z.meta({ description: "Prescription refill information" })),
    ),
    join_status: z.optional(
      text().check(z.meta({ description: "Accepted and ignored: a patient created here carries API" })),
    ),
    ...demographics,
  })
  .check(z.meta({ id: "CreatePatientRequest" }));
export type CreatePatientRequest = z.output<typeof createPatientRequest>;

/** A patient as stored: what the caller gave, normalized, with our own fields. */
export interface Patient extends Omit<CreatePatientRequest, "join_status" | "name" | "phone_number"> {
  id: string;
  name?: string | undefined;
  /** 11 digits. */
  phone_number?: string | undefined;
  conditions: string[];
  medications: NonNullable<CreatePatientRequest["medications"]>;
  notes: Record<string, unknown>[];
  reminders_enabled: boolean;
  join_status: string;
  /** ISO 8601, UTC. */
  created_at: string;
  updated_at: string;
}

const timestamp = z.iso.datetime().check(z.meta({ description: "ISO 8601, UTC" }));

const createdFields = {
  id: z.uuid(),
  name: z.optional(z.string().check(z.meta({ description: "Omitted when none was given" }))),
  phone_number: z.optional(
    z
      .string()
      .check(
        z.regex(/^\d{11}$/),
        z.meta({ description: "11 digits; omitted when none was given", examples: ["15551234567"] }),
      ),
  ),
  conditions: z.array(z.string()),
  notes: z.array(z.record(z.string(), z.unknown())),
  reminders_enabled: z.boolean(),
  refill_info: z.nullable(z.record(z.string(), z.unknown())),
  created_at: timestamp,
  updated_at: timestamp,
};

/** The patient object of `POST /patients`. */
export const createdPatient = z
  .object({
    ...createdFields,
    medications: z.array(medication),
    allergies: z.optional(z.string().check(z.meta({ description: "Omitted when none was given" }))),
    join_status: z.literal("API"),
  })
  .check(z.meta({ id: "CreatedPatient" }));
export type CreatedPatient = z.output<typeof createdPatient>;

/** The patient object of `GET /patients/{id}`. */
export const patientRecord = z
  .object({
    ...createdFields,
    medications: z.nullable(z.array(medication)),
    allergies: z.nullable(z.string()),
    join_status: z.nullable(z.string()),
    gender: z.nullable(z.string()),
    age: z.nullable(z.number()),
    height: z.nullable(z.string()),
    weight: z.nullable(z.string()),
    race: z.nullable(z.string()),
    blood_type: z.nullable(z.string()),
    subscription_plan: z.string().check(z.meta({ description: "Default free" })),
    whatsapp_terms_accepted: z.boolean(),
    never_show_audio_prompt: z.boolean(),
    access_code: z.nullable(z.string()),
    apple_messages_id: z.nullable(z.string()),
    apple_messages_terms_accepted: z.boolean(),
  })
  .check(z.meta({ id: "Patient" }));
export type PatientRecord = z.output<typeof patientRecord>;

/** The existing patient named by a 409. */
export const patientSummary = z
  .object({ id: z.uuid(), name: createdFields.name, phone_number: createdFields.phone_number })
  .check(z.meta({ id: "PatientSummary" }));

/** @returns what `POST /patients` answers with */
export function toCreatedPatient(patient: Patient): CreatedPatient {
  return {
    ...summarize(patient),
    conditions: patient.conditions,
    medications: patient.medications,
    allergies: patient.allergies,
    notes: patient.notes,
    reminders_enabled: patient.reminders_enabled,
    refill_info: patient.refill_info ?? null,
    join_status: "API",
    created_at: patient.created_at,
    updated_at: patient.updated_at,
  };
}

/** @returns what `GET /patients/{id}` answers with; fields that only other channels set have their defaults */
export function toPatientRecord(patient: Patient): PatientRecord {
  return {
    ...toCreatedPatient(patient),
    allergies: patient.allergies ?? null,
    join_status: patient.join_status,
    gender: patient.gender ?? null,
    age: patient.age ?? null,
    height: patient.height ?? null,
    weight: patient.weight ?? null,
    race: patient.race ?? null,
    blood_type: patient.blood_type ?? null,
    subscription_plan: "free",
    whatsapp_terms_accepted: false,
    never_show_audio_prompt: false,
    access_code: null,
    apple_messages_id: null,
    apple_messages_terms_accepted: false,
  };
}

/** @returns id, name and phone number: what a 409 says of the existing patient */
export function summarize(patient: Patient): z.output<typeof patientSummary> {
  return { id: patient.id, name: patient.name, phone_number: patient.phone_number };
}
