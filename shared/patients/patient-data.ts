import * as z from "zod/mini";
import { documented, freeFormObject, list, longText, shortText } from "../contract/fields.ts";
import { demographics } from "./demographics.ts";
import { medication } from "./patient-requests.ts";

/** The maximum serialized size of an object in a list of facts. */
const FACT_BYTES = 16 * 1024;

const fact = z.union([longText, freeFormObject(FACT_BYTES)]);

/** A list, or a text that counts as a list of one, because a record's allergies are a text. */
const factsOrText = list(fact, {
  description: "A list; a text, as in a record, is accepted too",
  asList: (value) => (typeof value === "string" ? [value] : value),
});

/** `patientData` of a chat: supplements or overrides the stored record for one request. It is never stored. */
export const patientData = documented(
  z.object({
    name: z.optional(shortText),
    ...z.partial(z.object(demographics)).shape,
    conditions: z.optional(list(fact)),
    allergies: z.optional(factsOrText),
    medications: z.optional(list(z.object({ ...medication.shape, condition: z.optional(shortText) }))),
    last_visit: z.optional(documented(shortText, { description: "Date", examples: ["2026-03-01"] })),
    category_note: z.optional(longText),
    phone_number: z.optional(documented(shortText, { description: "Accepted, but never sent to the model" })),
    reminders_enabled: z.optional(documented(z.boolean(), { description: "Accepted, but never sent to the model" })),
  }),
  { id: "PatientData" },
);
export type PatientData = z.output<typeof patientData>;
