import * as z from "zod/mini";
import { freeFormObject, text } from "../fields.ts";
import type { Demographic } from "./patient.ts";

/** The maximum size of a record, serialized. DynamoDB's limit for an item is 400 KB, names and overhead included. */
export const RECORD_BYTES = 350 * 1024;

/**
 * An age in years, fractions included. DynamoDB has no numbers between 0 and 1e-130, so the smallest age above 0 is 0.001.
 */
const age = z.number().check(
  z.refine((years) => years === 0 || (years >= 0.001 && years <= 150), { error: "must be 0, or from 0.001 to 150" }),
  z.meta({ description: "Years", minimum: 0, maximum: 150 }),
);

/**
 * Facts about the body: accepted on creation and in `patientData`, returned by `GET /patients/{id}`, sent to the model.
 * Their names are in `patient.ts`; a name without a schema does not compile.
 */
const demographics = {
  gender: text(),
  age,
  height: text(),
  weight: text(),
  race: text(),
  blood_type: text(),
} satisfies Record<Demographic, z.ZodMiniType>;

const optionalDemographics = z.partial(z.object(demographics)).shape;
const nullableDemographics = Object.fromEntries(
  Object.entries(demographics).map(([name, schema]) => [name, z.nullable(schema)]),
) as { [Name in Demographic]: z.ZodMiniNullable<(typeof demographics)[Name]> };

const medication = z.object({
  name: z.optional(text()),
  dosage: z.optional(text()),
  frequency: z.optional(text()),
});

/** Body of `POST /patients`. Each field is optional, but a patient needs a name or a phone number. */
export const createPatientRequest = z
  .object({
    name: z.optional(text().check(z.meta({ description: "Full name", examples: ["Maria Lopez"] }))),
    phone_number: z.optional(
      text().check(
        z.meta({
          description: "Any format; 10 digits get the country code 1, and the result must have 11 digits",
          examples: ["+1 (555) 123-4567"],
        }),
      ),
    ),
    conditions: z.optional(
      z
        .array(text())
        .check(
          z.meta({ description: "Medical conditions; an element may be a serialized object with name and symptoms" }),
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
      text().check(z.meta({ description: "Accepted and ignored: a patient created here has the value API" })),
    ),
    ...optionalDemographics,
  })
  .check(z.meta({ id: "CreatePatientRequest" }));
export type CreatePatientRequest = z.output<typeof createPatientRequest>;

/** The maximum size of an object among the facts of an override, serialized. */
const FACT_BYTES = 16 * 1024;

const fact = z.union([text(), freeFormObject(FACT_BYTES)]);

/** `patientData` of a chat: supplements or overrides the stored record for one request, and is never stored. */
export const patientData = z
  .object({
    name: z.optional(text()),
    ...optionalDemographics,
    conditions: z.optional(z.array(fact)),
    allergies: z.optional(z.array(fact)),
    medications: z.optional(
      z.array(
        z.object({
          name: z.optional(text()),
          dosage: z.optional(text()),
          frequency: z.optional(text()),
          condition: z.optional(text()),
        }),
      ),
    ),
    last_visit: z.optional(text().check(z.meta({ description: "Date", examples: ["2026-03-01"] }))),
    category_note: z.optional(text()),
    phone_number: z.optional(text().check(z.meta({ description: "Accepted, but never sent to the model" }))),
    reminders_enabled: z.optional(z.boolean().check(z.meta({ description: "Accepted, but never sent to the model" }))),
  })
  .check(z.meta({ id: "PatientData" }));
export type PatientData = z.output<typeof patientData>;

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
    ...nullableDemographics,
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
