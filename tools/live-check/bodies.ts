import * as z from "zod";
import { IDLE_SECONDS, idleTime } from "../../shared/threads/thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_PATTERN } from "../../shared/threads/thread-id.ts";

// Body schemas written from the interface specification, independently of the service's own schemas.

const timestamp = z.iso.datetime();
const success = z.literal(true);

const details = (path: string) =>
  z
    .array(z.strictObject({ path: z.string(), message: z.string().min(1) }))
    .refine(
      (faults) => faults.some((fault) => fault.path === path),
      `expected ${path || "the body"} among the invalid fields`,
    );

/** `{error}`: thread operations, authentication failures, the 404 of a patient. */
export const plainError = (error: string) => z.strictObject({ error: z.literal(error) });

/** `{success: false, error}`: chat and the generic form. */
export const genericError = (error: string) => z.strictObject({ success: z.literal(false), error: z.literal(error) });

/** The body of a 400 that names the invalid field; the path "" stands for the whole body. */
export const genericFault = (error: string, path: string) =>
  z.strictObject({ success: z.literal(false), error: z.literal(error), details: details(path) });

/** The body of a 400 whose text depends on the field. */
export const fault = (path: string) =>
  z.strictObject({ success: z.literal(false), error: z.string().min(1), details: details(path) });

/** The body of a thread operation's 400. `error` is given where its text does not depend on the field. */
export const plainFault = (path: string, error: z.ZodType = z.string().min(1)) =>
  z.strictObject({ error, details: details(path) });

export const UNAUTHORIZED = plainError("Unauthorized - Invalid API key");

/** A chat response without a thread. The model's answer only has to be non-empty. */
export const chatAnswer = z.strictObject({ success, response: z.string().min(1) });

export const threadAnswer = (threadId: string, messageCount: number) =>
  z.strictObject({
    success,
    response: z.string().min(1),
    threadId: z.literal(threadId),
    messageCount: z.literal(messageCount),
  });

/** A new thread has 2 messages if it starts with an opening question, and none otherwise. */
export const createdThread = z
  .strictObject({
    success,
    threadId: z.string().regex(THREAD_ID_PATTERN, `expected ${THREAD_ID_DESCRIPTION}`),
    initialMessage: z.string().min(1).optional(),
    expiresAt: timestamp,
    messageCount: z.int(),
    message: z.string().min(1),
  })
  .refine(({ initialMessage, messageCount }) => messageCount === (initialMessage === undefined ? 0 : 2), {
    path: ["messageCount"],
    message: "expected 2 with an initialMessage, 0 without",
  });

export const threadInfo = (expected: { threadId: string; patientId: string | null; messageCount: number }) =>
  z.strictObject({
    success,
    thread: z
      .strictObject({
        threadId: z.literal(expected.threadId),
        patientId: z.literal(expected.patientId),
        messageCount: z.literal(expected.messageCount),
        lastActivity: timestamp,
        createdAt: timestamp,
        expiresAt: timestamp,
      })
      .refine(
        ({ lastActivity, expiresAt }) => Date.parse(expiresAt) - Date.parse(lastActivity) === IDLE_SECONDS * 1_000,
        {
          path: ["expiresAt"],
          message: `expected ${idleTime()} after lastActivity`,
        },
      )
      .refine(({ lastActivity, createdAt }) => Date.parse(lastActivity) >= Date.parse(createdAt), {
        path: ["lastActivity"],
        message: "expected createdAt or later",
      }),
  });

/** The only page of a list with these messages: the role and content of each, newest first. */
export const messagePage = (messages: { role: string; content: string }[]) =>
  z.strictObject({
    success,
    messages: z.tuple(
      messages.map(({ role, content }) =>
        z.strictObject({
          id: z.string().regex(/^[\w-]+$/, "expected an id"),
          role: z.literal(role),
          content: z.literal(content),
          createdAt: timestamp,
        }),
      ) as [],
    ),
    hasMore: z.literal(false),
  });

/** Queries that every list rejects, with the text of the error. */
export const PAGE_ERRORS = [
  ["limit=0", "limit: must be a whole number from 1 to 100"],
  ["before=none", "before: is not a cursor of this list"],
] as const;

export const deletedThread = z.strictObject({ success, message: z.literal("Thread deleted successfully") });

/** The response to the erasure of a patient with this number of threads, none of which has messages. */
export const erasedPatient = (threads: number) =>
  z.strictObject({
    success,
    message: z.literal("Patient deleted successfully"),
    erased: z.strictObject({ threads: z.literal(threads), messages: z.literal(0) }),
  });
