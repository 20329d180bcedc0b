import * as z from "zod/mini";
import { documented, freeFormObject, list, phoneNumber, text } from "../fields.ts";
import { demographics } from "./demographic-schemas.ts";

/** The maximum serialized size of a record. DynamoDB limits an item to 400 KB, including names and overhead. */
export const RECORD_BYTES = 350 * 1024;

/** The maximum length of a record's allergies, in UTF-16 code units. */
export const ALLERGIES_LENGTH = 16_000;

export const medication = z.object({
  name: z.optional(text),
  dosage: z.optional(text),
  frequency: z.optional(text),
});

/** The fields of a patient that callers set. */
export const patientFields = {
  name: documented(text, { description: "Full name", examples: ["Maria Lopez"] }),
  phone_number: phoneNumber,
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
  ...demographics,
};
