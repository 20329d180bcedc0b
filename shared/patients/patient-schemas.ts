import * as z from "zod/mini";
import { freeFormObject, list, text } from "../fields.ts";
import type { Demographic } from "./demographics.ts";

/** The maximum serialized size of a record. DynamoDB limits an item to 400 KB, including names and overhead. */
export const RECORD_BYTES = 350 * 1024;

/** The maximum length of a record's allergies, in UTF-16 code units. */
export const ALLERGIES_LENGTH = 16_000;

/** An age in years, fractions included. DynamoDB has no numbers between 0 and 1e-130, so 0.001 years or less become 0. */
const age = z.number().check(
  z.refine((years) => years >= 0 && years <= 150, { error: "must be from 0 to 150" }),
  z.overwrite((years) => (years < 0.001 ? 0 : years)),
  z.meta({ description: "Years", minimum: 0, maximum: 150 }),
);

/**
 * Facts about the body: accepted on creation and in `patientData`, returned by `GET /patients/{id}`, sent to the model.
 * Their names are in `patient.ts`; a name without a schema does not compile.
 */
export const demographics = {
  gender: text(),
  age,
  height: text(),
  weight: text(),
  race: text(),
  blood_type: text(),
} satisfies Record<Demographic, z.ZodMiniType>;

export const optionalDemographics = z.partial(z.object(demographics)).shape;
export const medication = z.object({
  name: z.optional(text()),
  dosage: z.optional(text()),
  frequency: z.optional(text()),
});

/** A phone number in any format, of 10 or 11 digits. */
const phoneNumber = text().check(
  z.meta({
    pattern: "^[^0-9]*([0-9][^0-9]*){10,11}$",
    description: "Any format; 10 digits get the country code 1, and the result must have 11 digits",
    examples: ["+1 (555) 123-4567"],
  }),
);

/** The fields that callers set. */
const patientFields = z.object({
  name: z.optional(text().check(z.meta({ description: "Full name", examples: ["Maria Lopez"] }))),
  phone_number: z.optional(phoneNumber),
  conditions: z.optional(
    list(text(), { description: "Medical conditions; an element may be a serialized object with name and symptoms" }),
  ),
  medications: z.optional(list(medication)),
  allergies: z.optional(
    text().check(
      z.maxLength(ALLERGIES_LENGTH),
      z.meta({ description: "Comma-separated or a single string", examples: ["penicillin"] }),
    ),
  ),
  notes: z.optional(list(freeFormObject(RECORD_BYTES), { description: "Additional patient information" })),
  reminders_enabled: z.optional(z.boolean().check(z.meta({ description: "Default false" }))),
  refill_info: z.optional(
    freeFormObject(RECORD_BYTES).check(z.meta({ description: "Prescription refill information" })),
  ),
  join_status: z.optional(
    text().check(z.meta({ description: "Accepted and ignored: a patient created here has the value API" })),
  ),
  ...optionalDemographics,
});

/** Body of `POST /patients`. Each field is optional, but a patient needs a name or a phone number. */
export const createPatientRequest = z.object(patientFields.shape).check(
  z.meta({
    id: "CreatePatientRequest",
    // The requirement of `create-patient.ts`: a name that is not blank, or a phone number of 10 or 11 digits.
    // The types are for openapi-generator and linters, which read each part separately.
    anyOf: [
      { required: ["name"], properties: { name: { type: "string", pattern: "\\S" } } },
      { required: ["phone_number"], properties: { phone_number: { type: "string" } } },
    ],
  }),
);
export type CreatePatientRequest = z.output<typeof createPatientRequest>;

/** Says that unknown fields are not ignored; what rejects them is `jsonBody`. */
const NO_OTHER_FIELDS = { additionalProperties: false } as const;

const patchFields = {
  ...patientFields.shape,
  medications: z.optional(list(medication.check(z.meta(NO_OTHER_FIELDS)))),
};

/** Body of `PATCH /patients/{id}`, a JSON merge patch: null removes a field. */
export const updatePatientRequest = z
  .object(
    Object.fromEntries(
      Object.entries(patchFields).map(([name, { _zod }]) => [name, z.optional(z.nullable(_zod.def.innerType))]),
    ) as {
      [Name in keyof typeof patchFields]: z.ZodMiniOptional<
        z.ZodMiniNullable<(typeof patchFields)[Name]["_zod"]["def"]["innerType"]>
      >;
    },
  )
  .check(z.meta({ id: "UpdatePatientRequest", ...NO_OTHER_FIELDS }));
export type UpdatePatientRequest = z.output<typeof updatePatientRequest>;

/** Body of `POST /patients/search`. The number is in the body because URLs end up in logs. */
export const searchPatientsRequest = z
  .object({ phone_number: phoneNumber })
  .check(z.meta({ id: "SearchPatientsRequest" }));
export type SearchPatientsRequest = z.output<typeof searchPatientsRequest>;
