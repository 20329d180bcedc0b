import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { clinicalEntry } from "./clinical-entry.ts";
import { consent } from "./consent.ts";
import type { Demographic } from "./demographics.ts";
import { storedDemographics } from "./demographics.ts";

const CLINICAL_DESCRIPTION =
  "With `include=clinical`: the entries of an imported record, from which conditions, allergies and medications are rendered; null for a record that was not imported";

const nullableDemographics = Object.fromEntries(
  Object.entries(storedDemographics).map(([name, schema]) => [name, z.nullable(schema)]),
) as { [Name in Demographic]: z.ZodMiniNullable<(typeof storedDemographics)[Name]> };

/** As it is returned: what was imported, or stored under other rules, has other limits, and perhaps no name. */
const storedMedication = z.object({
  name: z.optional(z.string()),
  dosage: z.optional(z.string()),
  frequency: z.optional(z.string()),
});

const timestamp = documented(z.iso.datetime(), { description: "ISO 8601, UTC" });

/** As in requests, without the format `uuid`, for which generated clients have a type that they cannot send. */
export const patientId = documented(z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)), {
  description: "UUID",
});

/** A number that names a person in another system. */
const identifier = documented(
  z.object({
    system: z.optional(
      documented(z.string(), { description: "The system's URI", examples: ["urn:oid:1.2.36.146.595.217.0.1"] }),
    ),
    value: documented(z.string(), { examples: ["12345"] }),
  }),
  { id: "Identifier" },
);

const createdFields = {
  id: patientId,
  name: z.optional(documented(z.string(), { description: "Omitted when none was given" })),
  phone_number: z.optional(
    documented(z.string().check(z.regex(/^\d{8,15}$/)), {
      description:
        "11 digits, or the 8 to 15 of a number with a plus and another country code than 1, which is looked up with the plus in front; omitted when none was given",
      examples: ["15551234567"],
    }),
  ),
  conditions: z.array(z.string()),
  notes: z.array(z.record(z.string(), z.unknown())),
  reminders_enabled: z.boolean(),
  refill_info: z.nullable(z.record(z.string(), z.unknown())),
  consent: z.optional(consent),
  created_at: timestamp,
  updated_at: timestamp,
};

/** The patient object of `POST /patients`. */
export const createdPatient = documented(
  z.object({
    ...createdFields,
    medications: z.array(storedMedication),
    allergies: z.optional(documented(z.string(), { description: "Omitted when none was given" })),
    join_status: z.literal("API"),
  }),
  { id: "CreatedPatient" },
);
export type CreatedPatient = z.output<typeof createdPatient>;

/** The patient object of `GET /patients/{id}`. */
export const patientRecord = documented(
  z.object({
    ...createdFields,
    medications: z.nullable(z.array(storedMedication)),
    allergies: z.nullable(z.string()),
    join_status: z.nullable(z.string()),
    ...nullableDemographics,
    subscription_plan: documented(z.string(), { description: "Default free" }),
    whatsapp_terms_accepted: z.boolean(),
    never_show_audio_prompt: z.boolean(),
    access_code: z.nullable(z.string()),
    apple_messages_id: z.nullable(z.string()),
    apple_messages_terms_accepted: z.boolean(),
    birth_date: z.optional(documented(z.nullable(z.string()), { description: "With `include=clinical`" })),
    identifiers: z.optional(
      documented(z.array(identifier), { description: "With `include=clinical`: those of an import" }),
    ),
    clinical: z.optional(documented(z.nullable(z.array(clinicalEntry)), { description: CLINICAL_DESCRIPTION })),
  }),
  { id: "Patient" },
);
export type PatientRecord = z.output<typeof patientRecord>;

/** The patient object of an export: the stored data without unknown values. */
export const exportedPatient = documented(
  z.object({
    ...createdFields,
    refill_info: z.optional(z.record(z.string(), z.unknown())),
    medications: z.array(storedMedication),
    allergies: z.optional(z.string()),
    join_status: z.string(),
    ...z.partial(z.object(storedDemographics)).shape,
    birth_date: z.optional(z.string()),
    identifiers: z.optional(z.array(identifier)),
    clinical: z.optional(z.array(clinicalEntry)),
  }),
  { id: "ExportedPatient" },
);
export type ExportedPatient = z.output<typeof exportedPatient>;

/** The short form of a patient, for the existing one in a 409 and for a search result. */
export const patientSummary = documented(
  z.object({ id: patientId, name: createdFields.name, phone_number: createdFields.phone_number }),
  { id: "PatientSummary" },
);
export type PatientSummary = z.output<typeof patientSummary>;
