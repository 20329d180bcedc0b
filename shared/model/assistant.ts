import type OpenAI from "openai";
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import { config, type ModelSettings } from "../config.ts";
import type { TokenUsage } from "../request/request-context.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { LevelMarker } from "./level-marker.ts";
import type { HandoffSignal } from "./level-words.ts";
import { clientOf, MissingCredentials } from "./model-client.ts";
import { kindOfRefusal, ModelError, parseRetryAfter } from "./model-error.ts";
import { ResponseTooLong } from "./model-fetch.ts";
import { noteRejected, type Optional, optionalIn, type Parameters, parametersOf, type Wishes } from "./parameters.ts";
import type { Prompt } from "./prompt.ts";
import { StreamTrimmer } from "./stream-trimmer.ts";

/**
 * The maximum length in characters, for providers that ignore the limit in tokens. It is several times what 4,096
 * tokens have, and leaves room for the question in an item of 400 KB ("Quotas in Amazon DynamoDB").
 */
const LONGEST_ANSWER = 64_000;

/** After a rejection, the key is read again unless it was read within this time. */
const KEY_REREAD_MILLISECONDS = 5_000;

/** Receives an answer as it arrives. */
export interface Listener {
  /** Receives the text. Optional: without it, the answer is not streamed. */
  onText?: ((text: string) => void) | undefined;
  /** Receives each alert in the answer before the text after it; `named`: the model named the category. */
  onAlert?: ((alert: SafetyAlert, named: boolean) => void) | undefined;
  /** Receives why the model requests a person, if it does. */
  onHandoff?: ((reason: HandoffSignal) => void) | undefined;
}

export interface AskOptions extends Listener, Omit<Wishes, "streamed"> {
  /** Receives the billed tokens, whether or not the response is a usable answer. */
  onUsage?: ((usage: TokenUsage) => void) | undefined;
  /** Ends the attempt before its time is up. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls a model, over the Chat Completions protocol that OpenAI, Bedrock, Azure, Ollama, vLLM and llama.cpp share. The
 * request tells the provider not to store the conversation (`store: false`). If the provider rejects the key, and the
 * secret contains a new one by now, the call is made again with the new one. If it rejects a parameter that the request
 * can do without, the call is made again without it.
 *
 * @param timeoutMilliseconds the limit for the whole attempt
 * @param options `format` asks for structured output, which is not streamed and has no level marker; `cache` is
 *   undefined for a prompt without a thread
 * @returns the answer without its level marker, never empty
 * @throws ModelError with the kind of failure; OperatorError if the model's key was never set
 */
export async function askModel(
  model: ModelSettings,
  prompt: Prompt,
  timeoutMilliseconds: number,
  { onText, onAlert, onHandoff, onUsage, cache, format, signal }: AskOptions,
): Promise<string> {
  const openai = await clientOf(model);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMilliseconds);
  signal?.addEventListener("abort", () => limit.abort());
  const marker = format ? undefined : new LevelMarker((...verdict) => onAlert?.(...verdict), onHandoff);
  const call: Call = { limit, marker, onUsage };
  const wishes: Wishes = { cache, format, streamed: onText !== undefined };
  const answer = async (client: OpenAI, leftOut: Optional[] = []): Promise<string> => {
    const sent = parametersOf(model, prompt, wishes, leftOut);
    try {
      const text = await (onText ? stream(client, sent, call, onText) : complete(client, sent, call));
      noteRejected(model, leftOut); // only now it is clear that they were the reason
      return text;
    } catch (error) {
      const failure = limit.signal.aborted ? new ModelError("timeout", call) : named(error, call);
      const optional = optionalIn(failure, sent, model);
      if (optional.length === 0) {
        throw failure;
      }
      return await answer(client, [...leftOut, ...optional]);
    }
  };
  try {
    return await answer(openai);
  } catch (error) {
    const rejectsKey = error instanceof ModelError && error.kind === "authentication";
    const renewed = rejectsKey ? await clientOf(model, KEY_REREAD_MILLISECONDS).catch(() => openai) : openai;
    if (renewed === openai) {
      throw error;
    }
    return await answer(renewed);
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
    const request = openai.chat.completions.create({ ...parameters, stream: true }, { signal: call.limit.signal });
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

/** Bedrock has a header of its own ("Common response headers"). */
const REQUEST_ID_HEADERS = ["x-request-id", "x-amzn-requestid"];

function requestIdIn(headers: Headers | undefined): string | undefined {
  return REQUEST_ID_HEADERS.map((name) => headers?.get(name)).find((id) => typeof id === "string");
}

function noteRequestId(call: Call, { headers }: Response): void {
  call.requestID = requestIdIn(headers);
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

/** Reports the billed tokens, if the provider states them, for logs and metrics: they must be valid counts. */
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
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof MissingCredentials) {
    return new ModelError("authentication", call);
  }
  if (error instanceof ResponseTooLong || cause instanceof ResponseTooLong) {
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
    return new ModelError(kind, {
      requestID: requestIdIn(error.headers),
      retryAfter,
      parameter: textOf(error.param) || undefined,
    });
  }
  if (error instanceof APIError) {
    return new ModelError("server", call); // an error event in the middle of a stream
  }
  // All other errors come from reading the body: those of the connection have a code, the others are about its
  // contents.
  const { code } = error as { code?: unknown };
  return new ModelError(typeof code === "string" ? "connection" : "malformed", call);
}
