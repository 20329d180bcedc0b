import * as z from "zod/mini";
import { freeFormObject, text } from "../fields.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_EXAMPLE, THREAD_ID_PATTERN } from "./thread-id.ts";

/** The maximum size of a thread's metadata, serialized. */
export const METADATA_BYTES = 16 * 1024;

/** Body of `POST /threads`. */
export const createThreadRequest = z
  .object({
    patientId: z.optional(text().check(z.meta({ description: "UUID of the patient to link" }))),
    phone: z.optional(
      text().check(
        z.meta({ description: "Phone number of the patient to link, any notation; asked only without patientId" }),
      ),
    ),
    metadata: z.optional(
      freeFormObject(METADATA_BYTES).check(
        z.meta({
          description: `Free-form, at most ${METADATA_BYTES / 1024} KB; stored with the thread, and returned by GET /threads/{id}?include=metadata`,
          examples: [{ source: "web" }],
        }),
      ),
    ),
  })
  .check(z.meta({ id: "CreateThreadRequest" }));
export type CreateThreadRequest = z.output<typeof createThreadRequest>;

export const threadId = z
  .string()
  .check(z.regex(THREAD_ID_PATTERN), z.meta({ description: THREAD_ID_DESCRIPTION, examples: [THREAD_ID_EXAMPLE] }));
const timestamp = z.iso.datetime().check(z.meta({ description: "ISO 8601, UTC" }));
const messageCount = z
  .int()
  .check(z.minimum(0), z.meta({ description: "Messages in the thread, user and assistant together" }));

/** Response of `POST /threads`. */
export const createThreadResponse = z
  .object({
    success: z.literal(true),
    threadId,
    initialMessage: z.optional(
      z
        .string()
        .check(z.meta({ description: "An opening question, when the linked patient's age or gender is not known" })),
    ),
    expiresAt: timestamp,
    messageCount,
    message: z.string().check(z.meta({ description: "How to use the thread" })),
  })
  .check(z.meta({ id: "CreateThreadResponse" }));
export type CreateThreadResponse = z.output<typeof createThreadResponse>;

const threadFields = {
  threadId,
  patientId: z.nullable(z.uuid()),
  messageCount,
  lastActivity: timestamp,
  createdAt: timestamp,
  expiresAt: timestamp,
};

const metadata = z
  .nullable(z.record(z.string(), z.unknown()))
  .check(z.meta({ description: "As given at creation; null if none was" }));

/** A thread in the list of a patient's threads. */
export const threadInfo = z.object(threadFields).check(z.meta({ id: "Thread" }));
export type ThreadInfo = z.output<typeof threadInfo>;

/** The thread object of `GET /threads/{id}`. */
export const threadDetails = z
  .object({ ...threadFields, metadata: z.optional(metadata) })
  .check(z.meta({ id: "ThreadDetails" }));

/** A message of a thread. */
export const threadMessage = z
  .object({
    id: z.string().check(z.meta({ description: "Opaque; the cursor `before` takes it" })),
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    createdAt: timestamp,
  })
  .check(z.meta({ id: "ThreadMessage" }));
export type ThreadMessage = z.output<typeof threadMessage>;

/** A thread with all its data, for an export. */
export const exportedThread = z
  .object({
    ...threadFields,
    metadata,
    messages: z.array(threadMessage).check(z.meta({ description: "The newest first" })),
  })
  .check(z.meta({ id: "ExportedThread" }));
export type ExportedThread = z.output<typeof exportedThread>;
