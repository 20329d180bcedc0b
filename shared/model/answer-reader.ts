import type { CompletionUsage } from "openai/resources/completions";
import type { TokenUsage } from "../request/request-context.ts";
import { separateReasoning, textOfContent } from "./content.ts";
import { readFinishReason } from "./finish-reasons.ts";
import type { LevelMarker } from "./level-marker.ts";
import { ModelError, type ModelErrorKind } from "./model-error.ts";
import { ReasoningFilter } from "./reasoning-filter.ts";
import { StreamTrimmer } from "./stream-trimmer.ts";
import { estimateTokens } from "./token-estimate.ts";

/**
 * The maximum length in characters, for providers that ignore the limit in tokens. It is several times what 4,096
 * tokens have, and leaves room for the question in an item of 400 KB ("Quotas in Amazon DynamoDB").
 */
const LONGEST_ANSWER = 64_000;

interface Choice {
  index?: unknown;
  message?: unknown;
  delta?: unknown;
  finish_reason?: unknown;
  error?: unknown;
}

/** A response, or a chunk of one. Any of its values may be something else than the protocol says. */
export interface Received {
  choices?: readonly (Choice | null)[] | null;
  usage?: Partial<CompletionUsage> | null | undefined;
  error?: unknown;
}

interface Reading {
  marker: LevelMarker | undefined;
  /** Receives the answer as it arrives; undefined for a response that arrives as a whole. */
  onText: ((text: string) => void) | undefined;
  /** Whether the model is known to reason without a mark at the beginning. */
  suspected: boolean;
  /** The provider's ID of the request. */
  requestID: string | undefined;
}

/**
 * Reads an answer, whether it arrives as a whole or in chunks: without the model's reasoning, without its level marker,
 * trimmed, and complete or not by the same rules.
 */
export class AnswerReader {
  private readonly reading: Reading;
  private readonly filter: ReasoningFilter;
  private readonly flow: StreamTrimmer;
  private refusal = "";
  private finishReason: string | undefined;
  /** Which of a server's answers this is. */
  private index: unknown;
  private usage: Received["usage"];
  /** All that the model has written. */
  private written = "";
  private isComplete = false;
  /** Whether a chunk was neither a part of the answer nor its usage: an error in a shape of the server's own, or a sign of life. */
  private hasForeign = false;
  /** Whether anything has arrived. */
  begun = false;

  constructor(reading: Reading) {
    this.reading = reading;
    this.filter = new ReasoningFilter({ whole: reading.onText === undefined, suspected: reading.suspected });
    this.flow = new StreamTrimmer(reading.onText ?? (() => {}));
  }

  /** What an error tells of the answer: the provider's ID of the request, and what has been read. */
  get known(): { requestID: string | undefined; said: string } {
    return { requestID: this.reading.requestID, said: this.flow.text };
  }

  /** Whether a complete answer had reasoning of which only the end was marked; undefined while that is not known. */
  get hasUnmarked(): boolean | undefined {
    return this.filter.hasUnmarked || (this.isComplete ? false : undefined);
  }

  /**
   * Takes a response or the next chunk.
   *
   * @returns whether it had any words, which may be reasoning
   * @throws ModelError `truncated` if the answer is too long, `server` if there is an error beside it
   */
  take({ choices, usage, error }: Received): boolean {
    this.begun = true;
    this.usage = usage ?? this.usage;
    this.hasForeign ||= !choices && !usage;
    const choice = this.choiceIn(choices ?? []);
    if (error || choice?.error) {
      throw this.failure("server");
    }
    const message = (choice?.message ?? choice?.delta ?? {}) as { content?: unknown; refusal?: unknown };
    const content = textOfContent(message.content);
    const reasoning = separateReasoning(message);
    this.written += reasoning + content;
    if (this.written.length > LONGEST_ANSWER) {
      throw this.failure("truncated");
    }
    this.pass((reasoning === "" ? "" : this.filter.noteSeparateReasoning()) + this.filter.push(content));
    this.refusal += textOfContent(message.refusal);
    const reason = choice?.finish_reason;
    this.finishReason = typeof reason === "string" && reason !== "" ? reason : this.finishReason;
    return (reasoning + content).trim() !== "";
  }

  /** One answer is asked for; of a server that sends several, the first one that arrives is read. */
  private choiceIn(choices: readonly (Choice | null)[]): Choice | null | undefined {
    this.index ??= choices[0]?.index ?? undefined;
    return choices.find((choice) => (choice?.index ?? this.index) === this.index);
  }

  /**
   * Ends the answer.
   *
   * @param whole whether the response has ended as its protocol says. Then, no finish reason means a complete answer,
   *   because some servers send none, unless something else than the answer has arrived, which may say what is wrong
   * @returns the whole text, never empty
   * @throws ModelError
   */
  end(whole: boolean): string {
    const reason = readFinishReason(this.finishReason);
    const isComplete = reason === "complete" || (reason === "none" && whole && !this.hasForeign);
    this.isComplete = isComplete;
    this.pass(this.filter.end(isComplete));
    this.flow.push(this.reading.marker?.end() ?? "");
    const text = this.flow.end();
    if (reason !== "content-filter" && this.refusal !== "") {
      throw this.failure("refusal");
    }
    if (!isComplete) {
      throw this.failure(reason === "none" ? "connection" : reason);
    }
    if (text === "" || this.filter.unfinished || this.filter.leaked) {
      throw this.failure(text === "" ? "empty" : this.filter.leaked ? "malformed" : "truncated");
    }
    return text;
  }

  /**
   * Returns the tokens that the provider states, or an estimate if it states none that can be counts: many servers
   * send no usage, and none sends it with an answer that is interrupted.
   *
   * @param prompt its length in estimated tokens
   */
  tokens(prompt: number): TokenUsage {
    const count = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0);
    const { prompt_tokens, completion_tokens, prompt_tokens_details: details } = this.usage ?? {};
    const stated: TokenUsage = {
      inputTokens: count(prompt_tokens),
      cachedInputTokens: count(details?.cached_tokens),
      cacheWriteTokens: count(details?.cache_write_tokens),
      outputTokens: count(completion_tokens),
    };
    return stated.inputTokens + stated.outputTokens > 0
      ? stated
      : { ...stated, inputTokens: prompt, outputTokens: estimateTokens(this.written), estimated: true };
  }

  private pass(text: string): void {
    this.flow.push(this.reading.marker?.push(text) ?? text);
  }

  private failure(kind: ModelErrorKind): ModelError {
    const { requestID, said } = this.known;
    const isUnwanted = kind === "content-filter" || kind === "refusal" || this.filter.leaked;
    return new ModelError(kind, { requestID, said: isUnwanted ? undefined : said });
  }
}
