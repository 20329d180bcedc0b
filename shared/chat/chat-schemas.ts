import * as z from "zod/mini";
import { list, text } from "../fields.ts";
import { patientData } from "../patients/patient-data.ts";
import { CRISES, EMERGENCIES } from "../safety/alert.ts";
import { threadId } from "../threads/thread-schemas.ts";

/** The maximum length of a message, in UTF-16 code units. */
export const MESSAGE_LENGTH = 16_000;

/**
 * The maximum number of entries in `conversationHistory` and their maximum length: answers are longer than questions.
 */
export const HISTORY_ENTRIES = 100;
export const HISTORY_ENTRY_LENGTH = 32_000;

const MESSAGE_REQUIRED = "message is required";

/** One message of a conversation. */
export const message = z
  .object({ role: z.enum(["user", "assistant"]), content: text().check(z.maxLength(HISTORY_ENTRY_LENGTH)) })
  .check(z.meta({ id: "Message" }));
export type Message = z.output<typeof message>;

/** Body of `POST /chat`. */
export const chatRequest = z
  .object(
    {
      message: z.string({ error: MESSAGE_REQUIRED }).check(
        z.overwrite((value) => value.toWellFormed()),
        z.regex(/\S/, { error: MESSAGE_REQUIRED }),
        z.maxLength(MESSAGE_LENGTH, { error: `must have at most ${MESSAGE_LENGTH} characters` }),
        z.meta({ description: "What the user says; not only white space", examples: ["Can I take ibuprofen?"] }),
      ),
      threadId: z.optional(text().check(z.meta({ description: "The id from POST /threads" }))),
      patientId: z.optional(
        text().check(
          z.meta({ description: "UUID; needed only without a thread, or when the thread is not linked to a patient" }),
        ),
      ),
      phone: z.optional(
        text().check(z.meta({ description: "Finds the patient when patientId is absent; any notation" })),
      ),
      patientData: z.optional(patientData),
      conversationHistory: z.optional(
        list(message, {
          maxItems: HISTORY_ENTRIES,
          description: "Earlier messages, oldest first; ignored when a thread is used, which has its own",
        }),
      ),
      include: z.optional(
        z
          .array(z.enum(["safety"]))
          .check(z.meta({ description: "Additional parts of the response: `safety`, what the safety layer found" })),
      ),
    },
    { error: MESSAGE_REQUIRED },
  )
  .check(z.meta({ id: "ChatRequest" }));
export type ChatRequest = z.output<typeof chatRequest>;

/** What the safety layer found in a message, for `include: ["safety"]`. */
export const safety = z
  .object({
    level: z
      .enum(["none", "crisis", "emergency"])
      .check(z.meta({ description: "The level of danger; only one that is certain has a fixed text in the response" })),
    category: z.nullable(z.enum([...EMERGENCIES, ...CRISES])).check(
      z.meta({
        description: "What the danger is; null if nothing was found, and for a certain level whose category is not",
      }),
    ),
    certainty: z.nullable(z.enum(["certain", "suspected"])).check(
      z.meta({
        description:
          "`certain`: the response contains the fixed text. `suspected`: no fixed text; the model has not judged the message yet, or could not. null if the level is none",
      }),
    ),
    decidedBy: z.nullable(z.enum(["rule", "classifier", "model"])).check(
      z.meta({
        description: "What decided the level; null if nothing was found. `model` with none: it ruled out a suspicion",
      }),
    ),
    cautions: z
      .array(
        z.object({
          kind: z.enum(["allergy", "interaction"]),
          drug: z.string().check(z.meta({ description: "The drug that the message or the answer names" })),
          because: z.string().check(z.meta({ description: "The recorded allergy, or the recorded medication" })),
        }),
      )
      .check(z.meta({ description: "The cautions at the end of the response, in their order" })),
  })
  .check(z.meta({ id: "Safety" }));
export type Safety = z.output<typeof safety>;

/** Response of `POST /chat`; `threadId` and `messageCount` are set only with a thread, `safety` only on request. */
export const chatResponse = z
  .object({
    success: z.literal(true),
    response: z.string().check(z.meta({ description: "The assistant's answer" })),
    threadId: z.optional(threadId),
    messageCount: z.optional(
      z
        .int()
        .check(
          z.minimum(2),
          z.meta({ description: "Total messages in the thread; present only when a thread is used" }),
        ),
    ),
    safety: z.optional(safety),
  })
  .check(z.meta({ id: "ChatResponse" }));
export type ChatResponse = z.output<typeof chatResponse>;
