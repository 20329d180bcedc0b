import * as z from "zod/mini";
import { documented } from "../fields.ts";
import { CRISES, EMERGENCIES } from "../safety/alert.ts";
import { handoffReason } from "../threads/handoff-reason.ts";
import { threadId } from "../threads/thread-responses.ts";

/** What the safety layer found in a message, for `include: ["safety"]`. */
export const safety = documented(
  z.object({
    level: documented(z.enum(["none", "crisis", "emergency"]), {
      description: "The level of danger; only one that is certain has a fixed text in the response",
    }),
    category: documented(z.nullable(z.enum([...EMERGENCIES, ...CRISES])), {
      description: "What the danger is; null if nothing was found, and for a certain level whose category is not",
    }),
    certainty: documented(z.nullable(z.enum(["certain", "suspected"])), {
      description:
        "`certain`: the response contains the fixed text. `suspected`: no fixed text; the model has not judged the message yet, or could not. null if the level is none",
    }),
    decidedBy: documented(z.nullable(z.enum(["rule", "classifier", "model"])), {
      description: "What decided the level; null if nothing was found. `model` with none: it ruled out a suspicion",
    }),
    cautions: documented(
      z.array(
        z.object({
          kind: documented(z.enum(["allergy", "interaction"]), {
            description:
              "`allergy`: the record lists an allergy to the drug or its group. `interaction`: the drug can be dangerous with a recorded medication or condition, or at the patient's age",
          }),
          drug: documented(z.string(), { description: "The drug that the message or the answer names" }),
          because: documented(z.string(), { description: "The recorded allergy, medication or condition, or the age" }),
        }),
      ),
      { description: "The cautions at the end of the response, in their order" },
    ),
  }),
  { id: "Safety" },
);
export type Safety = z.output<typeof safety>;

/** The ids of a turn's messages, for `include: ["ids"]`. */
const ids = documented(z.object({ user: z.string(), assistant: z.string() }), {
  id: "MessageIds",
  description: "The ids of the message and its answer, as in GET /threads/{id}/messages",
});

/** Response of `POST /chat`; `threadId` and `messageCount` are set only with a thread, the last fields only on request. */
export const chatResponse = documented(
  z.object({
    success: z.literal(true),
    response: documented(z.string(), { description: "The assistant's answer" }),
    threadId: z.optional(threadId),
    messageCount: z.optional(
      documented(z.int().check(z.minimum(2)), {
        description: "Total messages in the thread; present only when a thread is used",
      }),
    ),
    safety: z.optional(safety),
    ids: z.optional(ids),
    handoff: z.optional(
      documented(z.nullable(z.object({ reason: handoffReason })), {
        description:
          "Why a person is needed: the user `asked` for one, the assistant is `unable` to help, or there is an alert of the level `crisis` or `emergency`; null if none is, or if one has taken over",
      }),
    ),
  }),
  { id: "ChatResult" },
);
export type ChatResponse = z.output<typeof chatResponse>;
