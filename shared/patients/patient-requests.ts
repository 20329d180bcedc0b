import * as z from "zod/mini";
import { documented, freeFormObject, list, phoneNumber, text } from "../contract/fields.ts";
import { BIRTH_DATE_RULE, isBirthDate } from "./birth-date.ts";
import { consent } from "./consent.ts";
import { demographics } from "./demographics.ts";
import { normalizePhone, PHONE_RULE } from "./phone.ts";

/** The maximum serialized size of a record. DynamoDB limits an item to 400 KB, including names and overhead. */
export const RECORD_BYTES = 350 * 1024;

/** The maximum length of a record's allergies, in UTF-16 code units. */
const ALLERGIES_LENGTH = 16_000;

export const medication = z.object({
  name: z.optional(text),
  dosage: z.optional(text),
  frequency: z.optional(text),
});

/** The fields of a patient that callers set. */
const patientFields = {
  name: documented(text, { description: "Full name", examples: ["Maria Lopez"] }),
  phone_number: phoneNumber.check(z.refine((value) => normalizePhone(value) !== undefined, { error: PHONE_RULE })),
  conditions: list(text, {
    description: "Medical conditions; an element may be a serialized object with name and symptoms",
  }),
  medications: list(medication),
  allergies: documented(text.check(z.maxLength(ALLERGIES_LENGTH)), {
    description: "Comma-separated or a single string",
    examples: ["penicillin"],
  }),
  notes: list(freeFormObject(RECORD_BYTES), { description: "Additional patient information" }),
  reminders_enabled: documented(z.boolean(), { description: "Default false" }),
  refill_info: documented(freeFormObject(RECORD_BYTES), { description: "Prescription refill information" }),
  join_status: documented(text, { description: "Accepted and ignored: a patient created here has the value API" }),
  birth_date: documented(text.check(z.refine((value) => isBirthDate(value), { error: BIRTH_DATE_RULE })), {
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

/** Body of `POST /patients/search`. The number is in the body because URLs end up in logs. */
export const searchPatientsRequest = documented(z.object({ phone_number: phoneNumber }), {
  id: "SearchPatientsRequest",
});
export type SearchPatientsRequest = z.output<typeof searchPatientsRequest>;
