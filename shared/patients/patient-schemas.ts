import * as z from "zod/mini";
import { freeFormObject, text } from "../fields.ts";
import { RECORD_BYTES } from "./patient.ts";

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
export type PatientSummary = z.output<typeof patientSummary>;
