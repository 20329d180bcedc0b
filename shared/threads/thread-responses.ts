import * as z from "zod/mini";
import { CATEGORIES, caution, safety } from "../../packages/safety/findings.ts";
import { documented } from "../contract/fields.ts";
import { patientId } from "../patients/patient-responses.ts";
import type { AnswerPart, Citation } from "./answer-parts.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE, THREAD_ID_PATTERN } from "./thread-id.ts";

export const threadId = documented(z.string().check(z.regex(THREAD_ID_PATTERN)), {
  description: THREAD_ID_DESCRIPTION,
  examples: [THREAD_ID_EXAMPLE],
});
const timestamp = documented(z.iso.datetime(), { description: "ISO 8601, UTC" });
const messageCount = documented(z.int().check(z.minimum(0)), {
  description: "Messages in the thread, user and assistant together",
});

/** Response of `POST /threads`. */
export const createThreadResponse = documented(
  z.object({
    success: z.literal(true),
    threadId,
    initialMessage: z.optional(
      documented(z.string(), {
        description: "An opening question, when the linked patient's age or gender is not known",
      }),
    ),
    expiresAt: timestamp,
    messageCount,
    message: documented(z.string(), { description: "How to use the thread" }),
    disclosure: z.optional(
      documented(z.string(), {
        description: "That answers come from an AI, to show to the user; also a part of `message`",
      }),
    ),
  }),
  { id: "CreateThreadResult" },
);
export type CreateThreadResponse = z.output<typeof createThreadResponse>;

const threadFields = {
  threadId,
  patientId: z.nullable(patientId),
  messageCount,
  lastActivity: timestamp,
  createdAt: timestamp,
  expiresAt: timestamp,
};

/** A thread's metadata. */
export const metadata = documented(z.nullable(z.record(z.string(), z.unknown())), {
  description: "As given at creation; null if none was",
});

/** A thread in the list of a patient's threads. */
export const threadInfo = documented(z.object(threadFields), { id: "Thread" });
export type ThreadInfo = z.output<typeof threadInfo>;

/** The thread object of `GET /threads/{id}`. */
export const threadDetails = documented(z.object({ ...threadFields, metadata: z.optional(metadata) }), {
  id: "ThreadDetails",
});

const { evidence: _, ...safetyShape } = safety.shape;

/** The findings of the safety layer, as they are read back with the answer to the message. */
const messageSafety = documented(
  z.object({
    ...safetyShape,
    certainty: documented(z.nullable(z.enum(["certain", "suspected"])), {
      description: "`certain`: `content` contains the fixed text; null if the level is none",
    }),
    alertText: documented(z.nullable(z.string()), {
      description: "The fixed text of the alert, which is a part of `content`; null without one",
    }),
    cautions: documented(
      z.array(
        z.object({
          ...caution.shape,
          text: documented(z.string(), { description: "The caution's text, which is a part of `content`" }),
        }),
      ),
      { description: "The cautions at the end of `content`, in their order" },
    ),
  }),
  { id: "MessageSafety" },
);

const partText = documented(z.string(), { description: "A part of the answer; never empty" });

export const citation: z.ZodMiniType<Citation, Citation> = documented(
  z.object({
    number: documented(z.int(), { description: "That of its markers in the answer: 1 for `[1]`" }),
    sourceId: z.string(),
    title: z.string(),
    url: z.nullable(z.string()),
    quote: documented(z.string(), { description: "The passage" }),
    part: documented(z.int(), { description: "The first part of the answer that cites it, from 0" }),
  }),
  { id: "Citation" },
);

export const answerPart: z.ZodMiniType<AnswerPart, AnswerPart> = documented(
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("alert"),
      text: partText,
      level: z.enum(["crisis", "emergency"]),
      category: z.nullable(z.enum(CATEGORIES)),
    }),
    z.object({ kind: z.literal("neutral"), text: partText }),
    z.object({ kind: z.literal("safety-net"), text: partText }),
    z.object({ kind: z.literal("offer"), text: partText }),
    z.object({
      kind: z.literal("words"),
      text: partText,
      cites: z.optional(documented(z.array(z.int()), { description: "The numbers of the passages that they cite" })),
    }),
    z.object({ kind: z.literal("unanswered"), text: partText }),
    z.object({ kind: z.literal("cut"), text: partText }),
    z.object({ kind: z.literal("held"), text: partText, by: z.nullable(z.string()) }),
    z.object({
      kind: z.literal("caution"),
      text: partText,
      basis: caution.shape.kind,
      drug: caution.shape.drug,
      because: caution.shape.because,
      said: caution.shape.said,
    }),
    z.object({ kind: z.literal("unchecked"), text: partText }),
    z.object({ kind: z.literal("handoff"), text: partText }),
    z.object({ kind: z.literal("disclosure"), text: partText }),
    z.object({ kind: z.literal("sources"), text: partText, citations: z.array(citation) }),
  ]),
  { id: "AnswerPart" },
);

/** A message of a thread. */
export const threadMessage = documented(
  z.object({
    id: documented(z.string(), { description: "Opaque; the cursor `before` takes it" }),
    role: documented(z.enum(["user", "assistant", "person"]), {
      description: "`person`: a person of the care team, who had taken over the conversation",
    }),
    author: z.optional(documented(z.string(), { description: "The name of the person, for the role `person` only" })),
    content: z.string(),
    createdAt: timestamp,
    generatedBy: documented(z.nullable(z.enum(["ai", "service"])), {
      description:
        "`ai`: a model wrote it, or a part of it. `service`: it consists of the service's own fixed texts. null for the user's messages",
    }),
    model: documented(z.nullable(z.string()), { description: "The model that wrote it; null if none did" }),
    parts: z.optional(
      documented(z.array(answerPart), {
        description: "The parts of the answer, in their order; for the role `assistant` only",
      }),
    ),
    safety: z.optional(messageSafety),
  }),
  { id: "ThreadMessage" },
);
export type ThreadMessage = z.output<typeof threadMessage>;
