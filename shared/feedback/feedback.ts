import * as z from "zod/mini";
import { documented, text } from "../contract/fields.ts";

export const RATINGS = ["good", "bad"] as const;
export type Rating = (typeof RATINGS)[number];

/** What may be wrong with an answer, in the order in which it is stored and returned. */
export const REASONS = ["incorrect", "unsafe", "unclear", "not-helpful", "not-about-me", "too-long", "other"] as const;
export type Reason = (typeof REASONS)[number];

/** The maximum length of a comment, in UTF-16 code units. */
const COMMENT_LENGTH = 2_000;

const comment = documented(text.check(z.maxLength(COMMENT_LENGTH)), {
  description: "In the patient's own words; deleted together with the thread",
});

/** Body of `PUT /threads/{id}/messages/{messageId}/feedback`. */
export const feedbackRequest = documented(
  z.object({
    rating: z.enum(RATINGS),
    reasons: z.optional(z.array(z.enum(REASONS)).check(z.maxLength(REASONS.length))),
    comment: z.optional(comment),
  }),
  { id: "FeedbackRequest" },
);
export type FeedbackRequest = z.output<typeof feedbackRequest>;

/** Feedback on an answer. */
export const feedback = documented(
  z.object({
    rating: z.enum(RATINGS),
    reasons: z.array(z.enum(REASONS)),
    comment: z.nullable(comment),
    updatedAt: documented(z.iso.datetime(), { description: "ISO 8601, UTC" }),
  }),
  { id: "Feedback" },
);
export type Feedback = z.output<typeof feedback>;
