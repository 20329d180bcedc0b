import { exactly } from "../expected.ts";
import { linkedThread } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";

const NO_ANSWER = exactly({ error: "The thread has no answer with this id" });

/** The rules for feedback. They give none: it would count, and an answer to give it on costs a call of the model. */
export const feedback = [
  ...rulesOf("PUT /threads/{id}/messages/{messageId}/feedback", {
    "on a message that is not an answer: 404": async (target) => {
      const { threadId } = await linkedThread(target);
      const path = `/threads/${threadId}/messages/none/feedback`;
      await target.expect(`PUT ${path}`, 404, NO_ANSWER, { body: { rating: "good" } });
    },
  }),
  ...rulesOf("DELETE /threads/{id}/messages/{messageId}/feedback", {
    "on a message that is not an answer: 404": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(`DELETE /threads/${threadId}/messages/none/feedback`, 404, NO_ANSWER);
    },
  }),
  ...rulesOf("GET /feedback", {
    "of days before there was any: 200 without groups": (target) => {
      const none = { from: "2020-01-01", to: "2020-01-02", groups: [] };
      return target.expect("GET /feedback?from=2020-01-01&to=2020-01-02", 200, none);
    },
  }),
];
