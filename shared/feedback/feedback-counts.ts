import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { RATINGS } from "./feedback.ts";

/** A day in UTC. It has no format, for which generated clients would have a type of its own. */
export const day = documented(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)), { description: "A day, UTC" });

const rounded = z.int().check(z.minimum(5));

/** Feedback that is the same in the requested fields. */
export const feedbackGroup = documented(
  z.object({
    day: z.optional(day),
    rating: z.optional(z.enum(RATINGS)),
    model: z.optional(
      documented(z.nullable(z.string()), { description: "The model that wrote the answers; null for fixed texts" }),
    ),
    instructions: z.optional(documented(z.string(), { description: "The version of the model's instructions" })),
    level: z.optional(
      documented(z.enum(["none", "crisis", "emergency"]), { description: "The level of the alert in the answers" }),
    ),
    language: z.optional(documented(z.string(), { description: "The language of the messages, as a BCP 47 tag" })),
    length: z.optional(
      documented(z.enum(["short", "medium", "long"]), {
        description: "The length of the answers: under 400 characters, under 1,200, or more",
      }),
    ),
    count: documented(rounded, { description: "Rounded down to a multiple of 5" }),
    reasons: documented(z.record(z.string(), rounded), {
      description: "How often each reason was given, rounded down in the same way; less often than 5 times is left out",
    }),
  }),
  { id: "FeedbackGroup" },
);
export type FeedbackGroup = z.output<typeof feedbackGroup>;
