import { config } from "../config.ts";
import { getAnswer } from "../model/answer.ts";
import type { HandoffSignal } from "../model/level-words.ts";
import { ModelError } from "../model/model-error.ts";
import type { Prompt } from "../model/prompt.ts";
import type { CallerContext } from "../request/request-context.ts";
import { ALERT_MILLISECONDS, ALERT_SILENCE_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { sourcesNotice } from "./clinic-sources.ts";
import { screenNotice } from "./instructions.ts";
import { ModelWords } from "./model-words.ts";
import { buildPrompt } from "./prompt.ts";
import type { Reply } from "./reply.ts";
import type { Screened } from "./screen-message.ts";
import { StopWatch } from "./stop-watch.ts";
import { askVerdict } from "./verdict.ts";

/**
 * The result of asking the model: nothing if a person, `by`, has taken over. `signal` is its request for a person. Of an
 * answer that was stopped, there may be the beginning.
 */
export type Answer =
  | { kind: "answered"; model: string | null; signal: HandoffSignal | undefined }
  | { kind: "unanswered"; model: string | null; failure: unknown }
  | { kind: "stopped"; model: string | null }
  | { kind: "held"; model: null; by: string | null };

/**
 * Asks the model, unless loading has already failed or a person has taken over, and writes its verdict and its words as
 * they arrive: the first word after the verdict, if there has to be one. Never fails: what a failure means for the
 * caller is not decided here.
 *
 * @returns the answer's kind, with the model that wrote words of it; null if none did
 */
export async function ask(context: CallerContext, screened: Screened): Promise<Answer> {
  const { conversation, failure, screening, warnings } = screened;
  const hold = conversation?.thread.hold;
  if (failure !== undefined || hold) {
    warnings.raiseLikely();
    return hold && failure === undefined
      ? { kind: "held", model: null, by: hold.by }
      : { kind: "unanswered", model: null, failure };
  }
  const needsVerdict = screening.finding !== undefined && screening.finding.certainty !== "certain";
  const words = new ModelWords(screened, needsVerdict);
  const silence = new Silence(screened.reply, words);
  const stop = new StopWatch(context, screened);
  const decided = needsVerdict ? decide(context, screened, words, silence, stop) : undefined;
  decided?.catch(() => {}); // awaited below, perhaps long after it has failed
  const heard: Heard = { model: null, signal: undefined };
  try {
    const signal = AbortSignal.any([silence.signal, stop.signal]);
    words.end(await askForWords(context, screened, words, signal, heard));
    await decided;
    words.requireSome();
    return { kind: "answered", ...heard };
  } catch (error) {
    words.end(error instanceof ModelError ? error.said : "");
    await decided?.catch(() => {});
    const model = words.areWritten ? heard.model : null;
    return stop.isStopped ? { kind: "stopped", model } : { kind: "unanswered", model, failure: error };
  } finally {
    stop.end();
  }
}

/** What the model has said besides words. */
interface Heard {
  /** The name of the one that was asked last. */
  model: string | null;
  signal: HandoffSignal | undefined;
}

/** @returns the model's complete words */
function askForWords(
  context: CallerContext,
  screened: Screened,
  words: ModelWords,
  signal: AbortSignal,
  heard: Heard,
): Promise<string> {
  const { reply, warnings } = screened;
  const left = context.deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
  const { prompt, cache } = promptOf(context, screened);
  return getAnswer(context, prompt, {
    cache,
    replaceable: !reply.streams,
    milliseconds: reply.delaysAlert ? Math.min(left, ALERT_MILLISECONDS) : left,
    onModel: (name) => {
      heard.model = name;
    },
    onText:
      reply.streams || reply.alert || words.areHeldBack
        ? (next) => {
            if (reply.parts.length === 0) {
              context.models = heard.model === null ? [] : [heard.model]; // a stream that begins with these words has this mark
            }
            words.push(next);
          }
        : undefined,
    signal,
    onAlert: (alert, named) => warnings.raiseByModel(alert, named),
    onHandoff: (reason) => {
      heard.signal = reason;
    },
  });
}

/** Builds the prompt, and notes in the log what did not fit into it. */
function promptOf(
  { log }: CallerContext,
  { clinic, conversation, history, request, facts, screening, warnings, passages }: Screened,
): { prompt: Prompt; cache: { key: string; reusable: boolean } | undefined } {
  const notices = [screenNotice(screening, warnings.above()), passages && sourcesNotice(passages, clinic)];
  const notice = notices.filter(Boolean).join("\n\n") || undefined;
  const { contextTokens } = config.modelLimits;
  const { prompt, omittedMessages, omittedFacts } = buildPrompt(
    clinic,
    facts,
    history,
    request.message,
    notice,
    contextTokens,
  );
  log.omittedMessages = omittedMessages || undefined;
  log.omittedFacts = omittedFacts || undefined;
  const thread = conversation?.thread;
  const windowMoves = omittedMessages > 0 || (thread?.messageCount ?? 0) > history.length;
  return { prompt, cache: thread && { key: thread.generation, reusable: !windowMoves } };
}

/** Takes the model's verdict on a finding that is not certain, and lets its words through. */
async function decide(
  context: CallerContext,
  { request, history, warnings }: Screened,
  words: ModelWords,
  silence: Silence,
  stop: StopWatch,
): Promise<void> {
  warnings.decide(await askVerdict(context, history, request.message, stop.signal));
  silence.limit();
  words.release();
}

/** Ends the model's call if it says nothing while somebody waits for an alert that comes with the whole response. */
class Silence {
  private readonly ended = new AbortController();
  private readonly reply: Reply;
  private readonly words: ModelWords;

  constructor(reply: Reply, words: ModelWords) {
    this.reply = reply;
    this.words = words;
    this.limit();
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  /** Limits the silence from now on, if there is an alert. */
  limit(): void {
    if (this.reply.delaysAlert) {
      setTimeout(() => this.words.begun || this.ended.abort(), ALERT_SILENCE_MILLISECONDS).unref();
    }
  }
}
