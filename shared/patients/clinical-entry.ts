import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";

/** A date as FHIR has it: a year, a month or a day, for onset and the like also a time. */
const fhirDate = documented(z.string(), { examples: ["2024-11-02"] });

/** A code of a code system, as it was received: the service never invents one. */
const coding = z.object({ system: z.string(), code: z.string(), display: z.optional(z.string()) });

/** An entry of a record's clinical list, as imported from FHIR. */
export const clinicalEntry = documented(
  z.object({
    kind: documented(z.enum(["condition", "allergy", "medication", "observation"]), {
      description: "An observation is a pregnancy status or an eGFR",
    }),
    text: z.string(),
    statement: z.optional(
      documented(z.enum(["none-known", "none-of-these", "not-known"]), {
        description:
          "Says that there is nothing of this kind, nothing of what `text` names, or that it is not known whether there is anything",
      }),
    ),
    status: z.optional(
      documented(z.string(), {
        description: "FHIR's clinical status of a condition or an allergy, or the status of a medication statement",
        examples: ["active", "resolved"],
      }),
    ),
    verification: z.optional(documented(z.string(), { description: "FHIR's verification status" })),
    criticality: z.optional(documented(z.string(), { description: "Of an allergy" })),
    reactions: z.optional(documented(z.array(z.string()), { description: "What an allergy has led to" })),
    code: z.optional(coding),
    start: z.optional(documented(fhirDate, { description: "Onset, beginning, or when it was observed" })),
    end: z.optional(fhirDate),
    dosage: z.optional(z.string()),
    frequency: z.optional(z.string()),
    answer: z.optional(
      documented(z.object({ text: z.string(), code: z.optional(coding) }), { description: "Pregnancy" }),
    ),
    quantity: z.optional(
      documented(z.object({ value: z.number(), unit: z.optional(z.string()), comparator: z.optional(z.string()) }), {
        description: "eGFR",
      }),
    ),
  }),
  { id: "ClinicalEntry" },
);
export type ClinicalEntry = z.output<typeof clinicalEntry>;
export type ClinicalKind = ClinicalEntry["kind"];
export type Coding = z.output<typeof coding>;
