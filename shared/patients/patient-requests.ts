import * as z from "zod/mini";
import { documented, FREE_FORM, freeFormObject, list, longText, phoneNumber, shortText } from "../contract/fields.ts";
import { BIRTH_DATE_RULE, isBirthDate } from "./birth-date.ts";
import { consent } from "./consent.ts";
import { demographics } from "./demographics.ts";
import { normalizePhone, phoneRule } from "./phone.ts";

/** The maximum serialized size of a record. DynamoDB limits an item to 400 KB, including names and overhead. */
export const RECORD_BYTES = 350 * 1024;

/** A name that is not blank: without it, a medicine would be stored as an empty object, and no caution could rest on it. */
const medicationName = shortText.check(z.refine((value) => value.trim() !== "", { error: "must not be empty" }));

export const medication = z.object({
  name: medicationName,
  dosage: z.optional(shortText),
  frequency: z.optional(shortText),
});

/** The fields of a patient that callers set. */
const patientFields = {
  name: documented(shortText, { description: "Full name", examples: ["Maria Lopez"] }),
  phone_number: phoneNumber.check(z.refine((value) => normalizePhone(value) !== undefined, { error: phoneRule })),
  conditions: list(longText, {
    description: "Medical conditions; an element may be a serialized object with name and symptoms",
  }),
  medications: list(medication),
  allergies: documented(longText, {
    description: "Comma-separated or a single string",
    examples: ["penicillin"],
  }),
  notes: list(freeFormObject(RECORD_BYTES), { description: `Additional patient information; each has ${FREE_FORM}` }),
  reminders_enabled: documented(z.boolean(), { description: "Default false" }),
  refill_info: documented(freeFormObject(RECORD_BYTES), {
    description: `Prescription refill information; ${FREE_FORM}`,
  }),
  join_status: documented(shortText, { description: "Accepted and ignored: a patient created here has the value API" }),
  birth_date: documented(shortText.check(z.refine((value) => isBirthDate(value), { error: BIRTH_DATE_RULE })), {
    description: "A day, a month or a year; `age` then follows from it",
    examples: ["1990-05-07"],
  }),
  consent,
  ...demographics,
};

/** The requirement for a patient, as a sentence. */
export const IDENTITY_RULE = "a name or a phone_number is required";

/** Whether a record has a name that is not blank, or a phone number. An invalid one is a fault of its own. */
export function hasIdentity({ name, phone_number }: { name?: unknown; phone_number?: unknown }): boolean {
  const isBlank = typeof name === "string" && name.trim() === "";
  return phone_number !== undefined || (name !== undefined && !isBlank);
}

const identified = z.refine<Parameters<typeof hasIdentity>[0]>(hasIdentity, {
  error: IDENTITY_RULE,
  path: ["name"],
  // Also if other fields are invalid, so that the caller learns all faults at once.
  when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
});

/** Body of `POST /patients`. Each field is optional, but a patient needs a name or a phone number. */
export const createPatientRequest = documented(z.partial(z.object(patientFields)).check(identified), {
  id: "CreatePatientRequest",
  // In words: generators make models of their own out of conditions on combinations of fields.
  description: "A `name` that is not blank, a `phone_number`, or both are required",
});
export type CreatePatientRequest = z.output<typeof createPatientRequest>;

/** Says that unknown fields are not ignored; what rejects them is `jsonBody`. */
const NO_OTHER_FIELDS = { additionalProperties: false } as const;

const patchFields = {
  ...patientFields,
  medications: list(documented(medication, NO_OTHER_FIELDS)),
  consent: documented(consent, NO_OTHER_FIELDS),
};

const nullishFields = Object.fromEntries(
  Object.entries(patchFields).map(([name, field]) => [name, z.nullish(field)]),
) as {
  [Name in keyof typeof patchFields]: z.ZodMiniOptional<z.ZodMiniNullable<(typeof patchFields)[Name]>>;
};

/** Body of `PATCH /patients/{id}`, a JSON merge patch: null removes a field. */
export const updatePatientRequest = documented(z.object(nullishFields), {
  id: "UpdatePatientRequest",
  ...NO_OTHER_FIELDS,
});
export type UpdatePatientRequest = z.output<typeof updatePatientRequest>;

/** The requirement for a search, as a sentence. */
export const SEARCH_RULE = "is required, or identifier, or name and birth_date; and only one of these";

const isOneWay = ({ phone_number, identifier, name, birth_date }: Record<string, unknown>) =>
  [phone_number, identifier, name ?? birth_date].filter((way) => way !== undefined).length === 1 &&
  (name === undefined) === (birth_date === undefined);

/** Body of `POST /patients/search`. What is searched for is in the body because URLs end up in logs. */
export const searchPatientsRequest = documented(
  z
    .object({
      phone_number: z.optional(phoneNumber),
      identifier: z.optional(
        z.object({
          system: z.optional(documented(longText, { description: "The system's URI, exactly as it was imported" })),
          value: documented(longText, { description: "Exactly as it was imported" }),
        }),
      ),
      name: z.optional(documented(shortText, { description: "The whole name, in any case" })),
      birth_date: z.optional(
        documented(shortText, { description: "Exactly as it is stored", examples: ["1990-05-07"] }),
      ),
    })
    .check(z.refine(isOneWay, { error: SEARCH_RULE, path: ["phone_number"] })),
  {
    id: "SearchPatientsRequest",
    // In words, as for a new patient.
    description: "A `phone_number`, an `identifier`, or a `name` with a `birth_date`, and only one of these",
  },
);
export type SearchPatientsRequest = z.output<typeof searchPatientsRequest>;
