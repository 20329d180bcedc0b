import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { IDLE_SECONDS, idleTime } from "../../shared/threads/thread.ts";
import { THREAD_ID_DESCRIPTION, THREAD_ID_PATTERN } from "../../shared/threads/thread-id.ts";

// Body schemas written from the interface specification, independently of the service's own schemas. Their messages must
// not contain what a patient or the model said: where a value may do so, it is compared with `exactly`.

const timestamp = z.iso.datetime();

/** Matches one value, and does not show it. */
export function exactly(value: unknown): z.ZodType {
  return z.unknown().refine((other) => isDeepStrictEqual(other, value), "expected another value");
}

/** `{success: true}` with these fields. */
export const succeeded = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.strictObject({ success: z.literal(true), ...fields });

const details = (path: string) => z.tuple([z.strictObject({ path: z.literal(path), message: z.string().min(1) })]);

/** `{error}`: thread operations, authentication failures, the 404 of a patient. */
export const plainError = (error: string) => z.strictObject({ error: z.literal(error) });

/** `{success: false, error}`: chat and the generic form. */
export const genericError = (error: string) => z.strictObject({ success: z.literal(false), error: z.literal(error) });

/** The body of a 400 that names the invalid field. */
export const genericFault = (error: string, path: string) => genericError(error).extend({ details: details(path) });

/** The body of a thread operation's 400. */
export const plainFault = (error: string, path: string) => plainError(error).extend({ details: details(path) });

export const UNAUTHORIZED = plainError("Unauthorized - Invalid API key");
export const NO_PATIENT = plainError("Patient not found");
export const NO_THREAD = plainError("Thread not found or expired");
export const KEY_REUSED = "Idempotency-Key was used with another request";
export const LIMIT_RULE = "limit: must be a whole number from 1 to 100";

/** A chat's answer without a thread. The model's text only has to be non-empty. */
export const chatAnswer = succeeded({ response: z.string().min(1) });

export const threadAnswer = (threadId: string, messageCount: number) =>
  chatAnswer.extend({ threadId: z.literal(threadId), messageCount: z.literal(messageCount) });

/** The events of a streamed answer. */
export const streamedAnswer = (threadId: string, messageCount: number) =>
  z
    .array(
      z.discriminatedUnion("event", [
        z.strictObject({ event: z.literal("delta"), data: z.strictObject({ text: z.string() }) }),
        z.strictObject({ event: z.literal("done"), data: threadAnswer(threadId, messageCount) }),
      ]),
    )
    .refine(
      (events) => events.length > 1 && events.findIndex(({ event }) => event === "done") === events.length - 1,
      "expected one or more delta events, then done",
    )
    .refine((events) => {
      const text = events.map(({ event, data }) => (event === "delta" ? data.text : "")).join("");
      return events.some(({ event, data }) => event === "done" && data.response === text);
    }, "expected the delta texts to add up to the response of done");

/** A new thread, which does not begin with a question. */
export const createdThread = succeeded({
  threadId: z.string().regex(THREAD_ID_PATTERN, `expected ${THREAD_ID_DESCRIPTION}`),
  expiresAt: timestamp,
  messageCount: z.literal(0),
  message: z.string().min(1),
});

/** A message of a thread. */
export interface Said {
  role: "user" | "assistant";
  content: string;
  /** The model that wrote it, according to the header of the answer. */
  model: string | null;
}

/** What is known about a thread that the check created. */
export interface KnownThread {
  threadId: string;
  patientId: string;
  /** The newest first. */
  messages: Said[];
}

/** A thread with more fields than those that every thread object has. */
export const thread = (
  { threadId, patientId, messages }: KnownThread,
  more: { metadata?: z.ZodType; messages?: z.ZodType } = {},
) =>
  z
    .strictObject({
      threadId: z.literal(threadId),
      patientId: z.literal(patientId),
      messageCount: z.literal(messages.length),
      lastActivity: timestamp,
      createdAt: timestamp,
      expiresAt: timestamp,
      ...more,
    })
    .refine(
      ({ lastActivity, expiresAt }) => Date.parse(expiresAt) - Date.parse(lastActivity) === IDLE_SECONDS * 1_000,
      { path: ["expiresAt"], message: `expected ${idleTime()} after lastActivity` },
    )
    .refine(({ lastActivity, createdAt }) => Date.parse(lastActivity) >= Date.parse(createdAt), {
      path: ["lastActivity"],
      message: "expected createdAt or later",
    });

const NOTHING_FOUND = {
  level: "none",
  category: null,
  certainty: null,
  decidedBy: null,
  cautions: [],
  alertText: null,
};

/**
 * A list of exactly these messages, about which the safety layer has found nothing.
 *
 * @param withSafety whether the answers say so
 */
export const messageList = (messages: Said[], withSafety = false) =>
  z.tuple(
    messages.map(({ role, content, model }) =>
      z.strictObject({
        id: z.string().regex(/^[\w-]+$/, "expected an id"),
        role: z.literal(role),
        content: exactly(content),
        createdAt: timestamp,
        generatedBy: z.literal(role === "user" ? null : "ai"),
        model: z.literal(model),
        ...(withSafety && role === "assistant" && { safety: exactly(NOTHING_FOUND) }),
      }),
    ) as [],
  );

export const deletedThread = succeeded({ message: z.literal("Thread deleted successfully") });

/** The response to the erasure of a patient with this number of threads, none of which has messages. */
export const erasedPatient = (threads: number) =>
  succeeded({
    message: z.literal("Patient deleted successfully"),
    erased: z.strictObject({ threads: z.literal(threads), messages: z.literal(0) }),
  });

/** The body of a rejected request of OpenAI's clients. */
export const openAiError = (param: string | null, code: string) =>
  z.strictObject({
    error: z.strictObject({
      message: z.string().min(1),
      type: z.literal("invalid_request_error"),
      param: z.literal(param),
      code: z.literal(code),
    }),
  });

/** OpenAI's list of models, with the assistant only. */
export const modelList = z.strictObject({
  object: z.literal("list"),
  data: z.tuple([
    z.strictObject({
      id: z.literal("health-assistant"),
      object: z.literal("model"),
      created: z.int(),
      owned_by: z.literal("health-assistant"),
    }),
  ]),
});

const identity = {
  id: z.string().regex(/^chatcmpl-live-check-[\w.-]+$/, "expected the request's ID"),
  created: z.int(),
  model: z.literal("health-assistant"),
};

/** A completion in OpenAI's format. */
export const chatCompletion = z.strictObject({
  ...identity,
  object: z.literal("chat.completion"),
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal("assistant"),
        content: z.string().min(1),
        refusal: z.null(),
      }),
      logprobs: z.null(),
      finish_reason: z.literal("stop"),
    }),
  ]),
  usage: z
    .strictObject({
      prompt_tokens: z.int().min(1),
      completion_tokens: z.int().min(1),
      total_tokens: z.int(),
      prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }),
    })
    .refine((usage) => usage.total_tokens === usage.prompt_tokens + usage.completion_tokens, "expected the sum"),
});

/** A chunk of a streamed completion: the role first, then pieces, then the reason for the end. */
const chunk = (delta: z.ZodType, finish: z.ZodType) =>
  z.strictObject({
    ...identity,
    object: z.literal("chat.completion.chunk"),
    choices: z.tuple([z.strictObject({ index: z.literal(0), delta, logprobs: z.null(), finish_reason: finish })]),
  });
const role = chunk(z.strictObject({ role: z.literal("assistant"), content: z.literal("") }), z.null());
const piece = chunk(z.strictObject({ content: z.string().min(1) }), z.null());
const end = chunk(z.strictObject({}), z.literal("stop"));

/** A streamed completion: its events have no names. */
export const streamedCompletion = z.string().refine((text) => {
  const [first, ...rest] = text.split("\n\n").filter((event) => !event.startsWith(":"));
  const [last, done, nothing] = rest.splice(-3);
  const data = (event = "") => JSON.parse(event.replace(/^data: /, ""));
  return (
    done === "data: [DONE]" &&
    nothing === "" &&
    rest.length > 0 &&
    role.safeParse(data(first)).success &&
    rest.every((event) => piece.safeParse(data(event)).success) &&
    end.safeParse(data(last)).success
  );
}, "expected the role, pieces, the end and [DONE]");
