import * as z from "zod/mini";
import { safety } from "../../packages/safety/findings.ts";
import { documented } from "../contract/fields.ts";
import { handoffReason } from "../threads/handoff-reason.ts";
import { answerPart, citation, threadId } from "../threads/thread-responses.ts";

/** The ids of a turn's messages, for `include: ["ids"]`. */
const ids = documented(z.object({ user: z.string(), assistant: z.string() }), {
  id: "MessageIds",
  description: "The ids of the message and its answer, as in GET /threads/{id}/messages",
});

/** `threadId` and `messageCount` are set only with a thread, the last fields only on request. */
export const chatResponse = documented(
  z.object({
    success: z.literal(true),
    response: documented(z.string(), {
      description: "The assistant's answer: the texts of its parts, separated by empty lines",
    }),
    threadId: z.optional(threadId),
    messageCount: z.optional(
      documented(z.int().check(z.minimum(2)), {
        description: "Total messages in the thread; present only when a thread is used",
      }),
    ),
    parts: z.optional(documented(z.array(answerPart), { description: "The parts of the answer, in their order" })),
    citations: z.optional(
      documented(z.array(citation), {
        description: "The passages of the clinic's own information that the answer cites",
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
