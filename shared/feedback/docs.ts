import * as z from "zod/mini";
import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { NOT_A_DAY } from "../contract/page.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE } from "../threads/thread-id.ts";
import { FIELDS } from "./counter.ts";
import { COUNTED_BY, COUNTED_PERIOD_DAYS, type feedbackEndpoints } from "./endpoints.ts";
import { feedback } from "./feedback.ts";
import { day, feedbackGroup } from "./feedback-counts.ts";

const IDS = {
  id: { description: `The thread id, ${THREAD_ID_DESCRIPTION}`, example: THREAD_ID_EXAMPLE },
  parameters: {
    messageId: { description: "The id of one of the assistant's messages", example: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-1" },
  },
};

const DAY = { type: "string" as const, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" };

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const feedbackDocs = {
  "give-feedback": {
    tag: "Feedback",
    summary: "Give feedback on an answer",
    description: `Stores what a patient thinks of an answer, in place of earlier feedback on it. The \`messageId\` is the \`id\` of a message in
\`GET /threads/{id}/messages\`, or \`ids.assistant\` of a chat with \`"include": ["ids"]\`.

The feedback is deleted together with the thread; a patient's export contains it until then. What outlives it are counts (GET
/feedback) of how often a rating and a reason were given on a day, without any id, text or time. The comment is never counted,
logged or sent anywhere. This does not extend the thread's lifetime.`,
    ...IDS,
    headers: [PREFER_HEADER],
    bodyRequired: true,
    response: success("GiveFeedbackResult", { feedback }),
    requests: {
      Good: { rating: "good" },
      Bad: { rating: "bad", reasons: ["unclear", "too-long"], comment: "What does that mean for me?" },
    },
    success: {
      Stored: {
        success: true,
        feedback: { rating: "good", reasons: [], comment: null, updatedAt: "2026-03-01T09:06:00.000Z" },
      },
    },
    errors: { invalid: [invalid("rating", 'must be "good" or "bad"')] },
  },

  "withdraw-feedback": {
    tag: "Feedback",
    summary: "Withdraw feedback on an answer",
    description:
      "Deletes the feedback on an answer, which then no longer counts. If there is none, this is not an error.",
    ...IDS,
    response: success("WithdrawFeedbackResult", { message: z.literal("Feedback withdrawn") }),
    success: { Withdrawn: { success: true, message: "Feedback withdrawn" } },
  },

  "count-feedback": {
    tag: "Feedback",
    summary: "Count feedback",
    description: `Counts the feedback of some days, by the fields that you choose. Counts are kept for 400 days.

They are rounded down to a multiple of 5, so that groups smaller than 5 are not shown, and no group can be calculated from the
others. What remains: who asks again after a single feedback, or with a day more, and happens to see a count rise by 5, knows
that at least one feedback of this group was added.`,
    query: [
      {
        name: "from",
        description: `The first day (UTC); ${COUNTED_PERIOD_DAYS} days before \`to\` without it`,
        schema: DAY,
      },
      { name: "to", description: "The last day (UTC); today without it", schema: DAY },
      {
        name: "by",
        description: `Fields, separated by commas: ${FIELDS.join(", ")}; \`${COUNTED_BY.join(",")}\` without it`,
        schema: { type: "string" as const, minLength: 1 },
      },
    ],
    response: success("CountFeedbackResult", {
      from: day,
      to: day,
      groups: z.array(feedbackGroup),
    }),
    success: {
      "Two groups": {
        success: true,
        from: "2026-02-01",
        to: "2026-03-01",
        groups: [
          { rating: "good", model: "gpt-6-luna", instructions: "0c1d2e3f", count: 240, reasons: {} },
          {
            rating: "bad",
            model: "gpt-6-luna",
            instructions: "0c1d2e3f",
            count: 25,
            reasons: { unclear: 10, "too-long": 5 },
          },
        ],
      },
    },
    errors: { invalid: [invalid("from", NOT_A_DAY), invalid("by", `must be some of ${FIELDS.join(", ")}`)] },
  },
} satisfies Docs<typeof feedbackEndpoints>;
