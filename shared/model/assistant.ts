import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import type { ReasoningEffort } from "openai/resources/shared";
import { config, MODEL_KEY_PLACEHOLDER, type ModelSettings } from "../config.ts";
import { OperatorError } from "../errors.ts";
import type { TokenUsage } from "../request/request-context.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { LevelMarker } from "../safety/level-marker.ts";
import type { HandoffSignal } from "../safety/level-words.ts";
import { readSecret } from "../secrets.ts";
import { kindOfRefusal, ModelError, parseRetryAfter } from "./model-error.ts";
import { fetchWithin, ResponseTooLong } from "./model-fetch.ts";
import { indexOfMessage, type Prompt, withNoticesFirst } from "./prompt.ts";
import { StreamTrimmer } from "./stream-trimmer.ts";

/** The maximum length of an answer, including the model's reasoning. */
const MAX_OUTPUT_TOKENS = 4_096;

/**
 * The maximum length in characters, for providers that ignore the limit above. It is several times what 4,096 tokens have, and
 * leaves room for the question in an item of 400 KB ("Quotas in Amazon DynamoDB").
 */
const LONGEST_ANSWER = 64_000;

/**
 * How old a copy of the model's key may be. This can be longer than for API keys, because the key is read again when
 * the provider rejects it. Each read is billed.
 */
const KEY_MILLISECONDS = 600_000;

/** After a rejection, the key is read again unless it was read within this time. */
const KEY_REREAD_MILLISECONDS = 5_000;

/** Receives an answer as it arrives. */
export interface Listener {
  /** Receives the text. Optional: without it, the answer is not streamed. */
  onText?: ((text: string) => void) | undefined;
  /**
   * Receives each level in the model's answer that is an alert, before the text after it; `named` is whether the model
   * named the category.
   */
  onAlert?: ((alert: SafetyAlert, named: boolean) => void) | undefined;
  /** Receives why the model requests a person, if it does. */
  onHandoff?: ((reason: HandoffSignal) => void) | undefined;
}

/** The parameters for the provider's prompt cache. */
export interface CacheUse {
  /** The same for prompts with a common prefix, such as those of a thread. It identifies nobody. */
  key: string;
  /** Whether the thread's next prompt will start with this one. */
  reusable: boolean;
}

/** Structured output instead of an answer: a JSON schema with its name. */
export interface OutputFormat {
  name: string;
  schema: Record<string, unknown>;
  /** The maximum length of the output. */
  maxTokens: number;
}

export interface AskOptions extends Listener {
  /** For structured output, which is not streamed and has no level marker. */
  format?: OutputFormat | undefined;
  /** Undefined for a prompt without a thread. */
  cache?: CacheUse | undefined;
  /** Receives the billed tokens, whether or not the response is a usable answer. */
  onUsage?: ((usage: TokenUsage) => void) | undefined;
}

/**
 * Calls a model, over the Chat Completions protocol that OpenAI, Azure, Ollama, vLLM and llama.cpp share. The request
 * tells the provider not to store the conversation (`store: false`). If the provider rejects the key, and the secret
 * contains a new one by now, the call is made again with the new one. If it rejects structured output, the call is made
 * again without it, because the prompt describes the format, too.
 *
 * @param timeoutMilliseconds the limit for the whole attempt
 * @returns the answer without its level marker, never empty
 * @throws ModelError with the kind of failure; OperatorError if the model's key was never set
 */
export async function askModel(
  model: ModelSettings,
  prompt: Prompt,
  timeoutMilliseconds: number,
  { onText, onAlert, onHandoff, onUsage, cache, format }: AskOptions,
): Promise<string> {
  const openai = await clientOf(model);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMilliseconds);
  const marker = format ? undefined : new LevelMarker((...verdict) => onAlert?.(...verdict), onHandoff);
  const call: Call = { limit, marker, onUsage };
  const parameters = parametersOf(model, prompt, cache, format);
  const answer = async (client: OpenAI, sent: Parameters): Promise<string> => {
    try {
      return await (onText ? stream(client, sent, call, onText) : complete(client, sent, call));
    } catch (error) {
      throw limit.signal.aborted ? new ModelError("timeout", call) : named(error, call);
    }
  };
  try {
    return await answer(openai, parameters);
  } catch (error) {
    const kind = error instanceof ModelError ? error.kind : undefined;
    if (kind === "rejected" && parameters.response_format) {
      const { response_format: _, ...plain } = parameters;
      const text = await answer(openai, plain);
      withoutFormat.add(identityOf(model)); // only now it is clear that the format was the reason
      return text;
    }
    const rejectsKey = kind === "authentication";
    const renewed = rejectsKey ? await clientOf(model, KEY_REREAD_MILLISECONDS).catch(() => openai) : openai;
    if (renewed === openai) {
      throw error;
    }
    return await answer(renewed, parameters);
  } finally {
    clearTimeout(timer);
  }
}

/** One call to a provider. */
interface Call {
  /** Ends the call when its time is up. */
  limit: AbortController;
  /** Removes the level from an answer. */
  marker: LevelMarker | undefined;
  onUsage: ((usage: TokenUsage) => void) | undefined;
  /** The provider's ID of the request, known once its response starts. */
  requestID?: string | undefined;
}

type Parameters = Omit<ChatCompletionCreateParamsNonStreaming, "stream">;

/** Models that have rejected structured output, by provider and name. */
const withoutFormat = new Set<string>();

function parametersOf(
  model: ModelSettings,
  prompt: Prompt,
  cache: CacheUse | undefined,
  format: OutputFormat | undefined,
): Parameters {
  const { name, reasoningEffort, promptCache } = model;
  return {
    model: name,
    messages: promptCache === "off" ? withNoticesFirst(prompt) : prompt,
    max_completion_tokens: format?.maxTokens ?? MAX_OUTPUT_TOKENS,
    store: false,
    ...(reasoningEffort && { reasoning_effort: reasoningEffort as ReasoningEffort }),
    ...(cache && cacheParameters(model, prompt, cache)),
    ...(format && !withoutFormat.has(identityOf(model)) && { response_format: jsonFormat(format) }),
  };
}

function jsonFormat({ name, schema }: OutputFormat): Parameters["response_format"] {
  return { type: "json_schema", json_schema: { name, schema, strict: true } };
}

function identityOf({ name, baseUrl = "" }: ModelSettings): string {
  return `${baseUrl} ${name}`;
}

/**
 * With breakpoints, a prefix is found only if both the earlier and the new prompt have a marker there (OpenAI, "Prompt
 * caching"). So two messages are marked: the new one, because a notice that the next prompt will not have may follow
 * it, and the user's message before it, where the previous prompt was marked. Writing to the cache costs more than not
 * using it, so a prompt that cannot be reused has no marker and is not cached.
 */
function cacheParameters({ promptCache }: ModelSettings, prompt: Prompt, cache: CacheUse): Partial<Parameters> {
  const { key, reusable } = cache;
  switch (promptCache) {
    case "off":
      return {};
    case "key":
      return { prompt_cache_key: key };
    case "in-memory":
      return { prompt_cache_key: key, prompt_cache_retention: "in_memory" };
    case "breakpoints":
      return {
        messages: reusable ? withBreakpoints(prompt) : prompt,
        prompt_cache_key: key,
        prompt_cache_options: { mode: "explicit" },
      };
  }
}

/** Marks the user's last two messages. */
function withBreakpoints(prompt: Prompt): ChatCompletionMessageParam[] {
  const before = prompt.findLastIndex(({ role }, index) => role === "user" && index < indexOfMessage(prompt));
  return prompt.map(({ role, content }, index) =>
    role === "user" && index >= before
      ? { role, content: [{ type: "text", text: content, prompt_cache_breakpoint: { mode: "explicit" } }] }
      : { role, content },
  );
}

async function complete(openai: OpenAI, parameters: Parameters, call: Call): Promise<string> {
  const { signal } = call.limit;
  const request = openai.chat.completions.create(parameters, { signal });
  noteRequestId(call, await request.asResponse());
  const completion = (await request) as ChatCompletion | null | undefined;
  reportUsage(completion?.usage, call);
  const choice = completion?.choices?.[0];
  if (!choice?.message) {
    throw new ModelError("malformed", call);
  }
  const content = textOf(choice.message.content);
  const text = (call.marker ? call.marker.push(content) + call.marker.end() : content).trim().toWellFormed();
  check(choice.finish_reason, choice.message.refusal, text, call);
  return text;
}

async function stream(
  openai: OpenAI,
  parameters: Parameters,
  call: Call,
  onText: (text: string) => void,
): Promise<string> {
  const firstToken = setTimeout(() => call.limit.abort(), config.modelLimits.firstTokenMilliseconds);
  const flow = new StreamTrimmer(onText);
  let finishReason: string | null | undefined;
  let refusal = "";
  let usage: ChatCompletionChunk["usage"];
  let begun = false;
  let length = 0;
  try {
    const request = openai.chat.completions.create(
      { ...parameters, stream: true, stream_options: { include_usage: true } },
      { signal: call.limit.signal },
    );
    noteRequestId(call, await request.asResponse());
    for await (const chunk of (await request) as AsyncIterable<ChatCompletionChunk | null>) {
      begun = true;
      const choice = chunk?.choices?.[0];
      const content = textOf(choice?.delta?.content);
      if (content.trim() !== "") {
        clearTimeout(firstToken);
      }
      length += content.length;
      if (length > LONGEST_ANSWER) {
        throw new ModelError("truncated", call);
      }
      flow.push(call.marker?.push(content) ?? content);
      refusal += textOf(choice?.delta?.refusal);
      finishReason = choice?.finish_reason ?? finishReason;
      usage = chunk?.usage ?? usage;
    }
    if (finishReason === undefined) {
      throw new ModelError(begun ? "connection" : "malformed", call); // cut off, or no stream of events at all
    }
    flow.push(call.marker?.end() ?? "");
    const text = flow.end();
    check(finishReason, refusal, text, call);
    return text;
  } finally {
    clearTimeout(firstToken);
    reportUsage(usage, call);
  }
}

function noteRequestId(call: Call, { headers }: Response): void {
  call.requestID = headers.get("x-request-id") ?? undefined;
}

/**
 * Accepts only complete answers. One cut off at the length limit fails too, because the missing part may be its
 * warning.
 *
 * @throws ModelError
 */
function check(
  finishReason: string | null | undefined,
  refusal: string | null | undefined,
  text: string,
  call: Call,
): void {
  if (finishReason === "content_filter") {
    throw new ModelError("content-filter", call);
  }
  if (refusal) {
    throw new ModelError("refusal", call);
  }
  if (finishReason === "length" || text.length > LONGEST_ANSWER) {
    throw new ModelError("truncated", call);
  }
  if (text === "") {
    throw new ModelError("empty", call);
  }
}

/**
 * Reports the billed tokens, if the provider states them. They go into logs and metrics, so they must be valid counts.
 */
function reportUsage(usage: Partial<CompletionUsage> | null | undefined, { onUsage }: Call): void {
  const tokens = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0);
  if (usage) {
    onUsage?.({
      inputTokens: tokens(usage.prompt_tokens),
      cachedInputTokens: tokens(usage.prompt_tokens_details?.cached_tokens),
      cacheWriteTokens: tokens(usage.prompt_tokens_details?.cache_write_tokens),
      outputTokens: tokens(usage.completion_tokens),
    });
  }
}

/** A provider may send any value where the protocol has a text. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Classifies an error of the provider's client. */
function named(error: unknown, call: Call): unknown {
  if (error instanceof ModelError) {
    return error;
  }
  if (error instanceof ResponseTooLong || (error instanceof Error && error.cause instanceof ResponseTooLong)) {
    return new ModelError("truncated", call);
  }
  if (error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError) {
    return new ModelError("timeout", call);
  }
  if (error instanceof APIConnectionError) {
    return new ModelError("connection", call);
  }
  if (error instanceof APIError && error.status !== undefined) {
    const kind = kindOfRefusal(error.status, `${error.code ?? ""} ${error.type ?? ""}`, error.message);
    const retryAfter = parseRetryAfter(error.headers?.get("retry-after"), Date.now());
    return new ModelError(kind, { requestID: error.requestID ?? undefined, retryAfter });
  }
  if (error instanceof APIError) {
    return new ModelError("server", call); // an error event in the middle of a stream
  }
  // All other errors come from reading the body: those of the connection have a code, the others are about its
  // contents.
  const { code } = error as { code?: unknown };
  return new ModelError(typeof code === "string" ? "connection" : "malformed", call);
}

const clients = new Map<string, { key: string; openai: OpenAI }>();

/**
 * Returns the client for a model and its current key; a rotated key creates a new client.
 *
 * @param maxAge the maximum age of the key, in milliseconds
 * @throws OperatorError if the key was never set; the error of Secrets Manager
 */
export async function clientOf(model: ModelSettings, maxAge = KEY_MILLISECONDS): Promise<OpenAI> {
  const isSet = (text: string | undefined) => text && text !== MODEL_KEY_PLACEHOLDER;
  let key = await readSecret(model.keySecret, maxAge);
  if (!isSet(key)) {
    key = await readSecret(model.keySecret); // an operator is about to set it
  }
  if (!key || !isSet(key)) {
    throw new OperatorError(
      "The model's key is not set; put the provider's key into the stack's model key secret (output ModelKeySecret).",
    );
  }
  const known = clients.get(model.keySecret);
  if (known?.key === key) {
    return known.openai;
  }
  const openai = new OpenAI({
    apiKey: key,
    baseURL: model.baseUrl,
    fetch: fetchWithin(config.modelLimits.connectMilliseconds) as unknown as typeof fetch,
    maxRetries: 0,
    logLevel: "off", // the SDK's own log quotes answers that it cannot parse
  });
  clients.set(model.keySecret, { key, openai });
  return openai;
}
