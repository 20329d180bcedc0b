import { setTimeout } from "node:timers/promises";
import type { Caller } from "../caller.ts";
import { config, type ModelSettings } from "../config.ts";
import { annotate, describeError, logError, logWarning } from "../logger.ts";
import { count, duration } from "../metrics.ts";
import { type Answer, askModel, type Listener } from "./assistant.ts";
import { MODEL_FAILURES, ModelError } from "./model-error.ts";
import { type Prompt, withoutOlderHalf } from "./prompt.ts";

/** A try with less time than this is not made: it could not finish. */
const LEAST_TRY_MILLISECONDS = 1_000;

/** The maximum wait before a second try if the provider names none; a random wait from half of it. */
const BACK_OFF_MILLISECONDS = 600;

/** The share of the time that the first model may use if there is a second one. */
const FIRST_MODEL_SHARE = 2 / 3;

export interface AnswerOptions extends Listener {
  /** Whom tokens are counted for. */
  caller: Caller;
  /** What the request can spend; the configured total is the limit in any case. */
  milliseconds: number;
}

/**
 * Gets an answer, whatever a model does: at most two tries on the first model, the second only after a retryable failure
 * and within the time that is left; then one on the fallback model, if there is one. Once text has been passed on there
 * is no other try, because it cannot be taken back.
 *
 * Each failure is logged and counted by its kind, and tokens by client.
 *
 * @returns the complete answer, never empty
 * @throws the last ModelError or OperatorError
 */
export async function getAnswer(prompt: Prompt, options: AnswerOptions): Promise<string> {
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
        spoken = true;
        onText(text);
      }),
  };
  try {
    const until = fallback ? Date.now() + total * FIRST_MODEL_SHARE : giveUpAt;
    return await tryTwice(config.model, prompt, until, () => spoken, noting);
  } catch (error) {
    if (!fallback || spoken || giveUpAt - Date.now() < LEAST_TRY_MILLISECONDS) {
      throw error;
    }
    annotate({ fallback: true });
    count("ModelFallback", 1);
    return await tryOnce(fallback, prompt, giveUpAt, noting);
  }
}

async function tryTwice(
  model: ModelSettings,
  prompt: Prompt,
  until: number,
  spoken: () => boolean,
  options: AnswerOptions,
): Promise<string> {
  try {
    return await tryOnce(model, prompt, until, options);
  } catch (error) {
    const second = secondTry(error, prompt);
    if (!second || spoken() || Date.now() + second.wait + LEAST_TRY_MILLISECONDS > until) {
      throw error;
    }
    await setTimeout(second.wait);
    annotate({ modelRetry: true });
    count("ModelRetry", 1);
    return await tryOnce(model, second.prompt, until, options);
  }
}

/** What to try after a failure, and after how long; undefined if another try would fail the same way. */
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

async function tryOnce(model: ModelSettings, prompt: Prompt, until: number, options: AnswerOptions): Promise<string> {
  const startedAt = Date.now();
  try {
    if (until - startedAt < LEAST_TRY_MILLISECONDS) {
      throw new ModelError("timeout");
    }
    const answer = await askModel(model, prompt, until - startedAt, options);
    recordAnswer(model, answer, Date.now() - startedAt, options.caller);
    return answer.text;
  } catch (error) {
    const kind = error instanceof ModelError ? error.kind : "other";
    const log = MODEL_FAILURES[kind].logLevel === "error" ? logError : logWarning;
    log("model-failure", { kind, model: model.name, ...describeError(error) });
    count("ModelFailure", 1, { kind });
    throw error;
  }
}

function recordAnswer(
  model: ModelSettings,
  { inputTokens, outputTokens }: Answer,
  milliseconds: number,
  { client }: Caller,
): void {
  annotate({ model: model.name, modelMs: milliseconds, inputTokens, outputTokens });
  duration("ModelLatency", milliseconds, { model: model.name });
  count("InputTokens", inputTokens ?? 0, { client });
  count("OutputTokens", outputTokens ?? 0, { client });
}
