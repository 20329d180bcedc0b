import * as z from "zod/mini";
import { list, text } from "../fields.ts";
import { patientData } from "../patients/patient-data.ts";
import { threadId } from "../threads/thread-schemas.ts";

/** The maximum length of a message, in UTF-16 code units. */
export const MESSAGE_LENGTH = 16_000;

/** The maximum number of entries in `conversationHistory`, and the length of each: an answer is longer than a question. */
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
    },
    { error: MESSAGE_REQUIRED },
  )
  .check(z.meta({ id: "ChatRequest" }));
export type ChatRequest = z.output<typeof chatRequest>;

/** Answer of `POST /chat`; the last two fields only when a thread is used. */
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
  })
  .check(z.meta({ id: "ChatResponse" }));
export type ChatResponse = z.output<typeof chatResponse>;
