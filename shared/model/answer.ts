import { setTimeout } from "node:timers/promises";
import { config, type ModelSettings } from "../config.ts";
import { modelFields } from "../observability/gen-ai.ts";
import { describeError, logError, logWarning } from "../observability/logger.ts";
import { count, duration } from "../observability/metrics.ts";
import type { CallerContext, TokenUsage } from "../request/request-context.ts";
import { askModel, type Listener } from "./assistant.ts";
import { MODEL_FAILURES, ModelError } from "./model-error.ts";
import type { CacheUse, OutputFormat } from "./parameters.ts";
import { type Prompt, withoutOlderHalf } from "./prompt.ts";

/** The minimum time for an attempt; with less, it could not finish. */
const LEAST_TRY_MILLISECONDS = 1_000;

/** The maximum wait before a retry if the provider names none; the wait is random, from half of this. */
const BACK_OFF_MILLISECONDS = 600;

/** The share of the time that the first model may use if there is a fallback model, and enough is left for that. */
const FIRST_MODEL_SHARE = 2 / 3;

export interface AnswerOptions extends Listener {
  cache?: CacheUse | undefined;
  /** Receives the name of each model before it is asked: the last one is the one that answers. */
  onModel?: ((name: string) => void) | undefined;
  /** For structured output instead of an answer. */
  format?: OutputFormat | undefined;
  /** The time left to the request; the configured total is a limit too. */
  milliseconds: number;
  /** Whether nobody reads the text before the answer is complete, so that another attempt can replace it. */
  replaceable?: boolean | undefined;
  /** Ends the call, and all attempts. */
  signal?: AbortSignal | undefined;
}

/**
 * Gets an answer: with at most two attempts on the first model, the second only after a retryable failure and within
 * the remaining time; then with one on the fallback model, if there is one. Once text has been passed on, there is no
 * further attempt, because the text cannot be taken back, unless it is `replaceable`.
 *
 * Each failure is logged and counted by its kind. The tokens are added to those of the request.
 *
 * @returns the complete answer, never empty
 * @throws the last ModelError or OperatorError
 */
export async function getAnswer(context: CallerContext, prompt: Prompt, options: AnswerOptions): Promise<string> {
  const total = Math.min(config.modelLimits.totalMilliseconds, options.milliseconds);
  const giveUpAt = Date.now() + total;
  const fallback = config.fallbackModel;
  let spoken = false;
  const { onText } = options;
  const noting: AnswerOptions = {
    ...options,
    onText:
      onText &&
      ((text) => {
        spoken = !options.replaceable;
        onText(text);
      }),
  };
  try {
    const share = total * (1 - FIRST_MODEL_SHARE) >= LEAST_TRY_MILLISECONDS ? FIRST_MODEL_SHARE : 1;
    const until = fallback ? Date.now() + total * share : giveUpAt;
    return await tryTwice(context, config.model, prompt, until, () => spoken, noting);
  } catch (error) {
    if (!fallback || spoken || options.signal?.aborted || giveUpAt - Date.now() < LEAST_TRY_MILLISECONDS) {
      throw error;
    }
    context.log.fallback = true;
    count("ModelFallback", 1);
    return await tryOnce(context, fallback, prompt, giveUpAt, noting);
  }
}

async function tryTwice(
  context: CallerContext,
  model: ModelSettings,
  prompt: Prompt,
  until: number,
  spoken: () => boolean,
  options: AnswerOptions,
): Promise<string> {
  try {
    return await tryOnce(context, model, prompt, until, options);
  } catch (error) {
    const second = secondTry(error, prompt);
    if (!second || spoken() || options.signal?.aborted || Date.now() + second.wait + LEAST_TRY_MILLISECONDS > until) {
      throw error;
    }
    await setTimeout(second.wait);
    context.log.modelRetry = true;
    count("ModelRetry", 1);
    return await tryOnce(context, model, second.prompt, until, options);
  }
}

/** Returns the prompt for a second attempt and the wait before it; undefined if it would fail the same way. */
function secondTry(error: unknown, prompt: Prompt): { prompt: Prompt; wait: number } | undefined {
  if (!(error instanceof ModelError)) {
    return undefined;
  }
  if (error.kind === "context-too-long") {
    const shorter = withoutOlderHalf(prompt);
    return shorter && { prompt: shorter, wait: 0 };
  }
  const wait = error.retryAfter ?? BACK_OFF_MILLISECONDS * (0.5 + Math.random() / 2);
  return error.retryable ? { prompt, wait } : undefined;
}

async function tryOnce(
  context: CallerContext,
  model: ModelSettings,
  prompt: Prompt,
  until: number,
  options: AnswerOptions,
): Promise<string> {
  const startedAt = Date.now();
  try {
    if (until - startedAt < LEAST_TRY_MILLISECONDS) {
      throw new ModelError("timeout");
    }
    options.onModel?.(model.name);
    const onUsage = (usage: TokenUsage) => recordUsage(context, usage);
    const answer = await askModel(model, prompt, until - startedAt, { ...options, onUsage });
    if (!options.format) {
      const milliseconds = Date.now() - startedAt;
      Object.assign(context.log, { ...modelFields(model), modelMs: milliseconds });
      duration("ModelLatency", milliseconds, { model: model.name });
    }
    return answer;
  } catch (error) {
    const kind = error instanceof ModelError ? error.kind : "other";
    if (kind === "stopped") {
      throw error;
    }
    const { logLevel, fixedBy } = MODEL_FAILURES[kind];
    const log = logLevel === "error" ? logError : logWarning;
    const limit = kind === "timeout" ? limitReached(Date.now() - startedAt, until - startedAt, options) : {};
    log("model-failure", { "error.type": kind, ...limit, ...modelFields(model), ...describeError(error) });
    count("ModelFailure", 1, { kind });
    if (fixedBy === "operator") {
      count("ModelRefused", 1);
    } else if (fixedBy === "provider") {
      count("ModelUnavailable", 1);
    }
    throw error;
  }
}

/** With less of the total than this, a step has a limit of its own, rather than a request that has lasted a moment. */
const FIXED_SHARE = 0.8;

/** A timer may fire a little early, as the clock sees it. */
const CLOCK_MILLISECONDS = 20;

/**
 * Returns the limit that ended an attempt, for the log: `first-word` and `total` are settings, `fixed` is that of a step
 * such as the verdict.
 *
 * @param allowed the time of the attempt, in milliseconds
 * @returns nothing if no limit did: the provider itself gave up, or the caller no longer waits
 */
function limitReached(elapsed: number, allowed: number, { onText, milliseconds, signal }: AnswerOptions) {
  const { firstTokenMilliseconds, totalMilliseconds } = config.modelLimits;
  const passed = (limit: number) => elapsed >= limit - CLOCK_MILLISECONDS;
  if (signal?.aborted) {
    return {};
  }
  if (passed(allowed)) {
    return milliseconds < totalMilliseconds * FIXED_SHARE
      ? { limit: "fixed", limitMs: milliseconds }
      : { limit: "total", limitMs: totalMilliseconds };
  }
  return onText && passed(firstTokenMilliseconds) ? { limit: "first-word", limitMs: firstTokenMilliseconds } : {};
}

/** Counts the billed tokens, also of each retry and of responses that were cut off, refused or filtered. */
function recordUsage(context: CallerContext, usage: TokenUsage): void {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, estimated } = usage;
  context.usage = {
    inputTokens: inputTokens + (context.usage?.inputTokens ?? 0),
    cachedInputTokens: cachedInputTokens + (context.usage?.cachedInputTokens ?? 0),
    cacheWriteTokens: cacheWriteTokens + (context.usage?.cacheWriteTokens ?? 0),
    outputTokens: outputTokens + (context.usage?.outputTokens ?? 0),
    ...((estimated || context.usage?.estimated) && { estimated: true }),
  };
  count("InputTokens", inputTokens);
  count("CachedInputTokens", cachedInputTokens);
  count("OutputTokens", outputTokens);
}
