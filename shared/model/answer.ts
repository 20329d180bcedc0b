import { setTimeout } from "node:timers/promises";
import { type Prompt, withoutOlderHalf } from "../chat/prompt.ts";
import { config, type ModelSettings } from "../config.ts";
import { annotate, currentAnnotations, describeError, logError, logWarning } from "../logger.ts";
import { count, duration } from "../metrics.ts";
import { type Answer, askModel, type Listener } from "./assistant.ts";
import { MODEL_FAILURES, ModelError } from "./model-error.ts";

/** No try is made that has less time than this: it could not finish. */
const LEAST_TRY_MILLISECONDS = 1_000;

/** The wait before a second try when the provider names none: between half of it and all of it. */
const BACK_OFF_MILLISECONDS = 600;

/** What of the whole time the first model may use up when there is a second one. */
const FIRST_MODEL_SHARE = 2 / 3;

/**
 * Gets an answer, whatever a model does: two tries at most on the first model, the second only after a failure that it
 * may mend and in the time that is left; then one on the fallback model, if there is one. Once words have been passed
 * on there is no other try, since they cannot be taken back.
 *
 * Each failure is logged and counted by its kind, and tokens by client.
 *
 * @param budgetMilliseconds what the invocation can spend; the configured total is the limit in any case
 * @param listener hears of the answer as it arrives
 * @returns the whole answer, never empty
 * @throws the last ModelError or OperatorError
 */
export async function findAnswer(
  prompt: Prompt,
  budgetMilliseconds: number,
  { onText, onAlert }: Listener = {},
): Promise<string> {
  const total = Math.min(config.modelLimits.totalMilliseconds, budgetMilliseconds);
  const giveUpAt = Date.now() + total;
  const fallback = config.fallbackModel;
  let spoken = false;
  const listener: Listener = {
    onAlert,
    onText:
      onText &&
      ((text) => {
        spoken = true;
        onText(text);
      }),
  };
  try {
    const until = fallback ? Date.now() + total * FIRST_MODEL_SHARE : giveUpAt;
    return await tryTwice(config.model, prompt, until, () => spoken, listener);
  } catch (error) {
    if (!fallback || spoken || giveUpAt - Date.now() < LEAST_TRY_MILLISECONDS) {
      throw error;
    }
    annotate({ fallback: true });
    count("ModelFallback", 1);
    return await tryOnce(fallback, prompt, giveUpAt, listener);
  }
}

async function tryTwice(
  model: ModelSettings,
  prompt: Prompt,
  until: number,
  spoken: () => boolean,
  listener: Listener,
): Promise<string> {
  try {
    return await tryOnce(model, prompt, until, listener);
  } catch (error) {
    const second = secondTry(error, prompt);
    if (!second || spoken() || Date.now() + second.wait + LEAST_TRY_MILLISECONDS > until) {
      throw error;
    }
    await setTimeout(second.wait);
    annotate({ modelRetry: true });
    count("ModelRetry", 1);
    return await tryOnce(model, second.prompt, until, listener);
  }
}

/** What to try after a failure, and when; undefined when another try would end as the first did. */
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

async function tryOnce(model: ModelSettings, prompt: Prompt, until: number, listener: Listener): Promise<string> {
  const startedAt = Date.now();
  try {
    if (until - startedAt < LEAST_TRY_MILLISECONDS) {
      throw new ModelError("timeout");
    }
    const answer = await askModel(model, prompt, until - startedAt, listener);
    recordAnswer(model, answer, Date.now() - startedAt);
    return answer.text;
  } catch (error) {
    const kind = error instanceof ModelError ? error.kind : "other";
    const log = MODEL_FAILURES[kind].logLevel === "error" ? logError : logWarning;
    log("model-failure", { kind, model: model.name, ...describeError(error) });
    count("ModelFailure", 1, { kind });
    throw error;
  }
}

function recordAnswer(model: ModelSettings, { inputTokens, outputTokens }: Answer, milliseconds: number): void {
  annotate({ model: model.name, modelMs: milliseconds, inputTokens, outputTokens });
  duration("ModelLatency", milliseconds, { model: model.name });
  const client = String(currentAnnotations().client ?? "unknown");
  count("InputTokens", inputTokens ?? 0, { client });
  count("OutputTokens", outputTokens ?? 0, { client });
}
