import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { config, MODEL_KEY_PLACEHOLDER, type ModelSettings } from "../config.ts";
import { OperatorError } from "../errors.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { LevelMarker } from "../safety/level-marker.ts";
import { readSecret } from "../secrets.ts";
import { kindOfRefusal, ModelError, parseRetryAfter } from "./model-error.ts";
import { fetchWithin } from "./model-fetch.ts";
import type { Prompt } from "./prompt.ts";
import { StreamTrimmer } from "./stream-trimmer.ts";

/** The most a model may write, its reasoning included. */
const MAX_OUTPUT_TOKENS = 4_096;

/** An answer, never empty, and what it took. */
export interface Answer {
  text: string;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

/** Who hears of an answer as it arrives. */
export interface Listener {
  /** Takes the words; without it, the answer is not streamed. */
  onText?: ((text: string) => void) | undefined;
  /**
   * Receives the level that the model begins its answer with, if it is an alert, before any text; `named` is whether the
   * model named the category.
   */
  onAlert?: ((alert: SafetyAlert, named: boolean) => void) | undefined;
  /** Called instead if the model begins its answer with the level none. */
  onNone?: (() => void) | undefined;
}

/**
 * Asks a model once, over the Chat Completions protocol that OpenAI, Azure, Ollama, vLLM and llama.cpp share. The
 * provider is told not to keep the conversation (`store: false`).
 *
 * @param timeoutMilliseconds the limit for the whole try
 * @returns the answer without its level marker
 * @throws ModelError named after what went wrong; OperatorError when the model's key was never set
 */
export async function askModel(
  model: ModelSettings,
  prompt: Prompt,
  timeoutMilliseconds: number,
  { onText, onAlert, onNone }: Listener,
): Promise<Answer> {
  const openai = await clientOf(model);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMilliseconds);
  const call: Call = { limit, marker: new LevelMarker((...verdict) => onAlert?.(...verdict), onNone) };
  try {
    return await (onText ? stream(openai, model, prompt, call, onText) : complete(openai, model, prompt, call));
  } catch (error) {
    throw limit.signal.aborted ? new ModelError("timeout", call) : named(error, call);
  } finally {
    clearTimeout(timer);
  }
}

/** One call of a provider. */
interface Call {
  /** Ends it when its time is up. */
  limit: AbortController;
  /** Takes the level off the answer. */
  marker: LevelMarker;
  /** The provider's id of the request, known as soon as it has begun to answer. */
  requestID?: string | undefined;
}

function parameters(model: ModelSettings, messages: Prompt) {
  return { model: model.name, messages, max_completion_tokens: MAX_OUTPUT_TOKENS, store: false };
}

async function complete(openai: OpenAI, model: ModelSettings, prompt: Prompt, call: Call): Promise<Answer> {
  const { signal } = call.limit;
  const request = openai.chat.completions.create(parameters(model, prompt), { signal });
  noteRequestId(call, await request.asResponse());
  const completion = (await request) as ChatCompletion | undefined;
  const choice = completion?.choices?.[0];
  if (!choice?.message) {
    throw new ModelError("malformed", call);
  }
  const content = typeof choice.message.content === "string" ? choice.message.content : "";
  const text = (call.marker.push(content) + call.marker.end()).trim().toWellFormed();
  check(choice.finish_reason, choice.message.refusal, text, call);
  return { text, ...tokensOf(completion?.usage) };
}

async function stream(
  openai: OpenAI,
  model: ModelSettings,
  prompt: Prompt,
  call: Call,
  onText: (text: string) => void,
): Promise<Answer> {
  const firstToken = setTimeout(() => call.limit.abort(), config.modelLimits.firstTokenMilliseconds);
  const flow = new StreamTrimmer(onText);
  let finishReason: string | null | undefined;
  let refusal = "";
  let usage: ChatCompletionChunk["usage"];
  let begun = false;
  try {
    const request = openai.chat.completions.create(
      { ...parameters(model, prompt), stream: true, stream_options: { include_usage: true } },
      { signal: call.limit.signal },
    );
    noteRequestId(call, await request.asResponse());
    for await (const chunk of await request) {
      begun = true;
      const choice = chunk.choices?.[0];
      const content = choice?.delta?.content ?? "";
      if (content.trim() !== "") {
        clearTimeout(firstToken);
      }
      flow.push(call.marker.push(content));
      refusal += choice?.delta?.refusal ?? "";
      finishReason = choice?.finish_reason ?? finishReason;
      usage = chunk.usage ?? usage;
    }
    if (finishReason === undefined) {
      throw new ModelError(begun ? "connection" : "malformed", call); // cut off, or no stream of events at all
    }
    flow.push(call.marker.end());
    const text = flow.end();
    check(finishReason, refusal, text, call);
    return { text, ...tokensOf(usage) };
  } finally {
    clearTimeout(firstToken);
  }
}

function noteRequestId(call: Call, { headers }: Response): void {
  call.requestID = headers.get("x-request-id") ?? undefined;
}

/**
 * Lets only whole answers pass. One that was cut off at the length limit fails too: what it lacks may be its warning.
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
  if (finishReason === "length") {
    throw new ModelError("truncated", call);
  }
  if (text === "") {
    throw new ModelError("empty", call);
  }
}

/** A provider's count is only taken if it is a number; it goes into the log. */
function tokensOf(usage: { prompt_tokens?: unknown; completion_tokens?: unknown } | null | undefined) {
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return { inputTokens: number(usage?.prompt_tokens), outputTokens: number(usage?.completion_tokens) };
}

/** Names what the client threw. */
function named(error: unknown, call: Call): unknown {
  if (error instanceof ModelError) {
    return error;
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
  // What is left came from reading the body: it was no JSON, or ended too early.
  return new ModelError(error instanceof SyntaxError ? "malformed" : "connection", call);
}

const clients = new Map<string, { key: string; openai: OpenAI }>();

/**
 * The client for a model and the key that is valid now; a rotated key makes a new one.
 *
 * @throws OperatorError when the key was never set; the error of Secrets Manager
 */
export async function clientOf(model: ModelSettings): Promise<OpenAI> {
  const key = await readSecret(model.keySecret);
  if (!key || key === MODEL_KEY_PLACEHOLDER) {
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
    fetch: fetchWithin(config.modelLimits.connectMilliseconds),
    maxRetries: 0,
    logLevel: "off", // the SDK's own log quotes answers that it cannot parse
  });
  clients.set(model.keySecret, { key, openai });
  return openai;
}
