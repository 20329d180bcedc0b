import * as z from "zod/mini";
import { type ChatRequest, HISTORY_ENTRIES, HISTORY_ENTRY_LENGTH, MESSAGE_LENGTH } from "../chat/chat-request.ts";
import { config } from "../config.ts";
import { documented, list, shortText, text } from "../contract/fields.ts";
import { invalidField, ServiceError } from "../errors.ts";
import { isPatientId } from "../patients/patient.ts";
import { MODEL, UNKNOWN_MODEL } from "./models.ts";

/** The maximum number of messages. Clients send the whole conversation; only its end is used. */
const MESSAGES = 1_000;

const ONLY_TEXT = "must be text: images, audio and files are not supported";
const textPart = z.object({ type: z.literal("text", { error: ONLY_TEXT }), text });

const message = z.object({
  role: documented(z.enum(["system", "developer", "user", "assistant"]), {
    description: "`tool` and `function` are not supported",
  }),
  content: z.nullish(
    documented(z.union([text, list(textPart)]), {
      description:
        "A text, or texts as parts; images, audio and files are not supported. Only an assistant's message may have none, which is then left out: it called a tool",
    }),
  ),
});
type CompletionMessage = z.output<typeof message>;

/** A parameter that the service does not support; null and values that ask for nothing are allowed. */
function unsupported<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return z.nullish(documented(schema, { description }));
}
const error = "is not supported";
const onlyNull = (description: string) => z.optional(documented(z.null({ error }), { description }));
const emptyList = z.array(z.unknown(), { error }).check(z.maxLength(0, { error }));

/**
 * Parameters that clients of OpenAI's API and of its imitations send, and that are no misspelling of others (OpenAI, API
 * reference, "Create chat completion"; vLLM, "OpenAI-compatible server", sampling parameters).
 */
export const IGNORED_PARAMETERS = [
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "logit_bias",
  "reasoning_effort",
  "reasoning",
  "verbosity",
  "parallel_tool_calls",
  "store",
  "service_tier",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "moderation",
  "top_k",
  "top_a",
  "min_p",
  "min_tokens",
  "repetition_penalty",
  "stop_token_ids",
  "best_of",
  "suffix",
  "echo",
  "extra_body",
  "thinking",
  "think",
  "keep_alive",
  "options",
  "provider",
  "session_id",
  "chat_id",
  "id",
  "messages.name",
  "messages.tool_calls",
  "messages.function_call",
  "messages.refusal",
  "messages.audio",
  "messages.annotations",
  "messages.reasoning",
  "messages.reasoning_content",
  "stream_options.include_obfuscation",
];

/**
 * Body of `POST /openai/v1/chat/completions`. All parameters that it does not have are ignored, and named in the header
 * `x-ignored` of the response.
 */
export const completionRequest = z.object({
  model: documented(shortText, { description: "The assistant is the only one", examples: [MODEL] }),
  messages: documented(list(message, { maxItems: MESSAGES }), {
    minItems: 1,
    description: `The conversation, oldest message first. The last one is the user's question, of at most ${MESSAGE_LENGTH} characters; the ${HISTORY_ENTRIES} before it are its context, unless a thread is used, which has its own`,
  }),
  stream: z.nullish(documented(z.boolean(), { description: "Whether to send the answer as server-sent events" })),
  stream_options: z.nullish(
    z.object({
      include_usage: z.nullish(
        documented(z.boolean(), { description: "Whether a last chunk of a stream has the `usage`" }),
      ),
    }),
  ),
  metadata: z.nullish(
    z.object({
      thread_id: z.optional(documented(shortText, { description: "The id from POST /threads" })),
      patient_id: z.optional(documented(shortText, { description: "The patient's UUID" })),
    }),
  ),
  user: z.nullish(
    documented(shortText, {
      description: "The patient's UUID, where a client cannot send `metadata`; anything but a UUID is ignored",
    }),
  ),
  n: unsupported(z.literal(1, { error: "must be 1: there is one answer" }), "Only 1 is allowed: there is one answer"),
  response_format: unsupported(
    z.object({ type: z.literal("text", { error: "must be text: other formats are not supported" }) }),
    "Answers are text",
  ),
  modalities: unsupported(z.array(z.literal("text", { error: "must be text" })), "Answers are text"),
  stop: unsupported(emptyList, "An answer is never cut off"),
  tools: unsupported(emptyList, "The assistant calls no tools"),
  tool_choice: unsupported(z.enum(["none", "auto"], { error }), "The assistant calls no tools"),
  functions: unsupported(emptyList, "The assistant calls no functions"),
  function_call: unsupported(z.enum(["none", "auto"], { error }), "The assistant calls no functions"),
  logprobs: unsupported(z.literal(false, { error }), "Only false is allowed: there are no log probabilities"),
  top_logprobs: unsupported(z.literal(0, { error }), "Only 0 is allowed: there are no log probabilities"),
  audio: onlyNull("Only null is allowed: answers are text"),
  prediction: onlyNull("Only null is allowed: there are no predicted outputs"),
  web_search_options: onlyNull("Only null is allowed: the assistant does not search the web"),
});
export type CompletionRequest = z.output<typeof completionRequest>;

/**
 * Turns a request into the chat that it asks for.
 *
 * @throws ServiceError `not-found` for another model; `invalid` if the last message is not a question, a message is too
 *   long, or there is a system message and the deployment rejects these
 */
export function chatRequestOf({ model, messages, metadata, user }: CompletionRequest): ChatRequest {
  if (model !== MODEL) {
    throw new ServiceError("not-found", UNKNOWN_MODEL, { details: [{ path: "model", message: "does not exist" }] });
  }
  const conversation = messages.flatMap(said);
  const [question] = conversation.slice(-1);
  if (question?.role !== "user" || messages.at(-1)?.role !== "user" || !/\S/.test(question.content)) {
    throw invalidField("messages", "the last message must be the user's, with a text");
  }
  if (question.content.length > MESSAGE_LENGTH) {
    throw invalidField(`messages.${messages.length - 1}.content`, `must have at most ${MESSAGE_LENGTH} characters`);
  }
  const threadId = metadata?.thread_id;
  return {
    message: question.content,
    threadId,
    patientId: metadata?.patient_id ?? (user && isPatientId(user) ? user : undefined),
    // The body of a repetition has to be the same, so what a thread ignores is left out.
    conversationHistory: threadId === undefined ? conversation.slice(0, -1).slice(-HISTORY_ENTRIES) : undefined,
  };
}

/** Where system messages are rejected, this names the setting: many clients send them on their own. */
export const NO_SYSTEM_MESSAGES =
  "system messages are not accepted: the assistant has its own instructions, and the operator of this service rejects others, with the setting openaiSystemMessages";

/** Tells which of the known parts of a request are ignored: system messages, and a `user` that is not the patient. */
export function ignoredIn({ messages, user }: CompletionRequest, { patientId }: ChatRequest) {
  return { system: messages.some(isSystemMessage), user: Boolean(user) && user !== patientId };
}

function isSystemMessage({ role }: CompletionMessage): boolean {
  return role === "system" || role === "developer";
}

/** The message as the chat knows it; nothing for a system message, if those are ignored, and for a tool call. */
function said({ role, content }: CompletionMessage, index: number): NonNullable<ChatRequest["conversationHistory"]> {
  const path = `messages.${index}`;
  if (role === "system" || role === "developer") {
    if (config.rejectsSystemMessages) {
      throw invalidField(`${path}.role`, NO_SYSTEM_MESSAGES);
    }
    return [];
  }
  if (content === undefined || content === null) {
    if (role === "user") {
      throw invalidField(`${path}.content`, "must be text");
    }
    return [];
  }
  const whole = typeof content === "string" ? content : content.map((part) => part.text).join("\n");
  if (whole.length > HISTORY_ENTRY_LENGTH) {
    throw invalidField(`${path}.content`, `must have at most ${HISTORY_ENTRY_LENGTH} characters`);
  }
  return [{ role, content: whole }];
}
