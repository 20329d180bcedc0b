import type OpenAI from "openai";
import type { SafetyAlert } from "../../packages/safety/alerts.ts";
import { config, type ModelSettings } from "../config.ts";
import type { TokenUsage } from "../request/request-context.ts";
import { AnswerReader, type Received } from "./answer-reader.ts";
import { LevelMarker } from "./level-marker.ts";
import type { HandoffSignal } from "./level-words.ts";
import { clientOf } from "./model-client.ts";
import { ModelError, STOPPED } from "./model-error.ts";
import type { ModelResponse } from "./model-fetch.ts";
import { type LeftOut, noteRejected, optionalIn, type Parameters, parametersOf, type Wishes } from "./parameters.ts";
import type { Prompt } from "./prompt.ts";
import { requestIdIn, toModelError } from "./provider-error.ts";
import { noteAnswer, reasonsUnmarked } from "./reasoning-openings.ts";
import { estimateTokens } from "./token-estimate.ts";

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
 * secret contains a new one by now, the call is made again with the new one. If it rejects parameters that the request
 * can do without, the call is made again without them.
 *
 * @param timeoutMilliseconds the limit for the whole attempt
 * @param options `format` asks for structured output, which is not streamed and has no level marker; `cache` is
 *   undefined for a prompt without a thread
 * @returns the answer without the model's reasoning and its level marker, never empty
 * @throws ModelError with the kind of failure; OperatorError if the model's key was never set
 */
export async function askModel(
  model: ModelSettings,
  prompt: Prompt,
  timeoutMilliseconds: number,
  options: AskOptions,
): Promise<string> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMilliseconds);
  const signal = options.signal ? AbortSignal.any([limit.signal, options.signal]) : limit.signal;
  const { onText, onAlert, onHandoff, cache, format } = options;
  const marker = format ? undefined : new LevelMarker((...verdict) => onAlert?.(...verdict), onHandoff);
  const call: ModelCall = { model, prompt, marker, onText, onUsage: options.onUsage, signal };
  const wishes: Wishes = { cache, format, streamed: onText !== undefined };
  try {
    const openai = await clientOf(model);
    return await answer(openai, call, wishes).catch(async (error) => {
      const rejectsKey = error instanceof ModelError && error.kind === "authentication";
      const renewed = rejectsKey ? await clientOf(model, KEY_REREAD_MILLISECONDS).catch(() => openai) : openai;
      if (renewed === openai) {
        throw error;
      }
      return await answer(renewed, call, wishes);
    });
  } finally {
    clearTimeout(timer);
  }
}

/** One question to a provider. */
interface ModelCall {
  model: ModelSettings;
  prompt: Prompt;
  /** Removes the level from an answer. */
  marker: LevelMarker | undefined;
  onText: ((text: string) => void) | undefined;
  onUsage: ((usage: TokenUsage) => void) | undefined;
  /** Ends the call when its time is up, or its caller no longer waits. */
  signal: AbortSignal;
}

/** Each repetition leaves out more, so there are only a few. */
async function answer(
  openai: OpenAI,
  call: ModelCall,
  wishes: Wishes,
  leftOut: readonly LeftOut[] = [],
): Promise<string> {
  const sent = parametersOf(call.model, call.prompt, wishes, leftOut);
  try {
    const text = await (call.onText ? stream(openai, sent, call, call.onText) : complete(openai, sent, call));
    noteRejected(call.model, leftOut); // only now it is clear that they were the reason
    return text;
  } catch (error) {
    const optional = optionalIn(error, sent, call.model);
    if (optional.length === 0) {
      throw error;
    }
    return await answer(openai, call, wishes, [...leftOut, ...optional]);
  }
}

async function complete(openai: OpenAI, parameters: Parameters, call: ModelCall): Promise<string> {
  const request = openai.chat.completions.create(parameters, { signal: call.signal });
  return reading(call, undefined, async (begin) => {
    const response = await request.asResponse();
    return readWhole(response, begin(response));
  });
}

/** Reads an answer that is not streamed, whatever type of content the server states. */
async function readWhole(response: Response, reader: AnswerReader): Promise<string> {
  const completion = JSON.parse(await response.text()) as Received | null;
  if (!completion?.choices?.[0]?.message) {
    throw new ModelError("malformed", reader.known);
  }
  reader.take(completion);
  return reader.end(true);
}

async function stream(
  openai: OpenAI,
  parameters: Parameters,
  call: ModelCall,
  onText: (text: string) => void,
): Promise<string> {
  const limit = new AbortController();
  const firstToken = setTimeout(() => limit.abort(), config.modelLimits.firstTokenMilliseconds);
  const signal = AbortSignal.any([call.signal, limit.signal]);
  try {
    const request = openai.chat.completions.create({ ...parameters, stream: true }, { signal });
    return await reading({ ...call, signal }, onText, async (begin) => {
      const response = await request.asResponse();
      const reader = begin(response);
      if (response.headers.get("content-type")?.startsWith("application/json")) {
        clearTimeout(firstToken);
        return readWhole(response, reader); // a server that does not stream
      }
      for await (const chunk of (await request) as AsyncIterable<Received | null>) {
        if (reader.take(chunk ?? {})) {
          clearTimeout(firstToken);
        }
      }
      if (!reader.begun) {
        throw new ModelError("malformed", reader.known); // no stream of events at all
      }
      return reader.end((response as Partial<ModelResponse>).isDone?.() === true);
    });
  } finally {
    clearTimeout(firstToken);
  }
}

/**
 * Reads a response, reports what it has cost, and names what has failed.
 *
 * @param read receives the function that begins an answer, which is called once the response has started
 */
async function reading(
  { model, prompt, marker, onUsage, signal }: ModelCall,
  onText: ((text: string) => void) | undefined,
  read: (begin: (response: Response) => AnswerReader) => Promise<string>,
): Promise<string> {
  let reader: AnswerReader | undefined;
  const begin = ({ headers }: Response) => {
    const suspected = reasonsUnmarked(model.name);
    reader = new AnswerReader({ marker, onText, suspected, requestID: requestIdIn(headers) });
    return reader;
  };
  try {
    return await read(begin);
  } catch (error) {
    if (signal.aborted) {
      throw new ModelError(signal.reason === STOPPED ? "stopped" : "timeout", reader?.known);
    }
    throw toModelError(error, reader?.known ?? {});
  } finally {
    if (marker && reader?.hasUnmarked !== undefined) {
      noteAnswer(model.name, reader.hasUnmarked);
    }
    if (reader && onUsage) {
      onUsage(reader.tokens(estimateTokens(prompt.map(({ content }) => content).join("\n"))));
    }
  }
}
