import * as z from "zod/mini";
import { documented, freeFormObject, list, text } from "../contract/fields.ts";
import { demographics } from "./demographics.ts";

/** The maximum serialized size of an object in a list of facts. */
const FACT_BYTES = 16 * 1024;

const fact = z.union([text, freeFormObject(FACT_BYTES)]);

/** A list, or a text that counts as a list of one, because a record's allergies are a text. */
const factsOrText = list(fact, {
  description: "A list; a text, as in a record, is accepted too",
  asList: (value) => (typeof value === "string" ? [value] : value),
});

/** `patientData` of a chat: supplements or overrides the stored record for one request. It is never stored. */
export const patientData = documented(
  z.object({
    name: z.optional(text),
    ...z.partial(z.object(demographics)).shape,
    conditions: z.optional(list(fact)),
    allergies: z.optional(factsOrText),
    medications: z.optional(
      list(
        z.object({
          name: z.optional(text),
          dosage: z.optional(text),
          frequency: z.optional(text),
          condition: z.optional(text),
        }),
      ),
    ),
    last_visit: z.optional(documented(text, { description: "Date", examples: ["2026-03-01"] })),
    category_note: z.optional(text),
    phone_number: z.optional(documented(text, { description: "Accepted, but never sent to the model" })),
    reminders_enabled: z.optional(documented(z.boolean(), { description: "Accepted, but never sent to the model" })),
  }),
  { id: "PatientData" },
);
export type PatientData = z.output<typeof patientData>;
