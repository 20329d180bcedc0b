import * as z from "zod/mini";
import type { Safety } from "../../packages/safety/findings.ts";
import { documented, list, shortText, text } from "../contract/fields.ts";
import { patientData } from "../patients/patient-data.ts";
import { withoutEvidence } from "../threads/answer-parts.ts";

/** The maximum length of a message, in UTF-16 code units. */
export const MESSAGE_LENGTH = 16_000;

/** The most entries of `conversationHistory` and their length: answers are longer than questions. */
export const HISTORY_ENTRIES = 100;
export const HISTORY_ENTRY_LENGTH = 32_000;

const MESSAGE_REQUIRED = "message is required";

/** A character that is seen: neither white space nor one of those that only affect others, such as U+200B. */
const VISIBLE = /[^\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** One message of a conversation. */
const message = documented(
  z.object({ role: z.enum(["user", "assistant"]), content: text.check(z.maxLength(HISTORY_ENTRY_LENGTH)) }),
  { id: "Message" },
);
export type Message = z.output<typeof message>;

/** Body of `POST /chat`. */
export const chatRequest = documented(
  z.object(
    {
      message: documented(
        z.string({ error: MESSAGE_REQUIRED }).check(
          z.overwrite((value) => value.toWellFormed()),
          z.refine((value) => VISIBLE.test(value), { error: MESSAGE_REQUIRED }),
          z.maxLength(MESSAGE_LENGTH, { error: `must have at most ${MESSAGE_LENGTH} characters` }),
        ),
        {
          description: "What the user says; not only white space and invisible characters",
          examples: ["Can I take ibuprofen?"],
        },
      ),
      threadId: z.optional(documented(shortText, { description: "The id from POST /threads" })),
      patientId: z.optional(
        documented(shortText, {
          description: "UUID; needed only without a thread, or when the thread is not linked to a patient",
        }),
      ),
      phone: z.optional(
        documented(shortText, { description: "Finds the patient when patientId is absent; any notation" }),
      ),
      patientData: z.optional(patientData),
      conversationHistory: z.optional(
        list(message, {
          maxItems: HISTORY_ENTRIES,
          description: "Earlier messages, oldest first; ignored when a thread is used, which has its own",
        }),
      ),
      include: z.optional(
        documented(z.array(z.enum(["parts", "safety", "evidence", "ids", "handoff", "sources"])), {
          description:
            "Additional fields of the response: `parts`, the parts of the answer; `safety`, what the safety layer found; `evidence`, the same with the phrases that it rests on and three certainties; `ids`, the ids of the two messages, on a thread; `handoff`, whether a person is needed; `sources`, the passages of the clinic's information that the answer cites, instead of their titles at its end",
        }),
      ),
    },
    { error: MESSAGE_REQUIRED },
  ),
  { id: "ChatRequest" },
);
export type ChatRequest = z.output<typeof chatRequest>;

/** Whether the request asks for an additional field of the response. */
export function asksFor(field: NonNullable<ChatRequest["include"]>[number], { include }: ChatRequest): boolean {
  return include?.includes(field) === true;
}

/** Returns findings as the request asks for them; undefined if it does not. */
export function safetyFor(request: ChatRequest, safety: Safety): Safety | undefined {
  return asksFor("evidence", request) ? safety : asksFor("safety", request) ? withoutEvidence(safety) : undefined;
}
