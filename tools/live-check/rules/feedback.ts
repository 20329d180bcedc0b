import * as z from "zod";
import { genericFault, NO_THREAD, plainError, plainFault, succeeded } from "../bodies.ts";
import { linkedThread } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";

const OF_NO_THREAD = "/threads/00000/messages/none/feedback";
const NO_ANSWER = plainError("The thread has no answer with this id");

/** The rules for feedback. They give none: it would count, and an answer to give it on costs a call of the model. */
export const feedback = [
  ...rulesOf("PUT /threads/{id}/messages/{messageId}/feedback", {
    "without a rating: 400": (target) =>
      target.expect(`PUT ${OF_NO_THREAD}`, 400, plainFault('rating: must be "good" or "bad"', "rating"), { body: {} }),
    "with an unknown threadId: 404": (target) =>
      target.expect(`PUT ${OF_NO_THREAD}`, 404, NO_THREAD, { body: { rating: "good" } }),
    "on a message that is not an answer: 404": async (target) => {
      const { threadId } = await linkedThread(target);
      const path = `/threads/${threadId}/messages/none/feedback`;
      await target.expect(`PUT ${path}`, 404, NO_ANSWER, { body: { rating: "good" } });
    },
  }),
  ...rulesOf("DELETE /threads/{id}/messages/{messageId}/feedback", {
    "with an unknown threadId: 404": (target) => target.expect(`DELETE ${OF_NO_THREAD}`, 404, NO_THREAD),
    "on a message that is not an answer: 404": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(`DELETE /threads/${threadId}/messages/none/feedback`, 404, NO_ANSWER);
    },
  }),
  ...rulesOf("GET /feedback", {
    "by an unknown field: 400": (target) => {
      const message = "must be some of day, rating, model, instructions, level, language, length";
      return target.expect("GET /feedback?by=comment", 400, genericFault(`by: ${message}`, "by"));
    },
    "of days before there was any: 200 without groups": (target) => {
      const days = { from: z.literal("2020-01-01"), to: z.literal("2020-01-02") };
      const none = succeeded({ ...days, groups: z.tuple([]) });
      return target.expect("GET /feedback?from=2020-01-01&to=2020-01-02", 200, none);
    },
  }),
];
