import { config } from "../config.ts";
import { getAnswer } from "../model/answer.ts";
import type { HandoffSignal } from "../model/level-words.ts";
import { ModelError } from "../model/model-error.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import { CitationReader } from "../sources/citations.ts";
import { ALERT_MILLISECONDS, ALERT_SILENCE_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { Passages } from "./clinic-sources.ts";
import { InstructionEcho } from "./instruction-echo.ts";
import { NEVER_SAID } from "./instructions.ts";
import type { Ready } from "./load.ts";
import { buildPrompt } from "./prompt.ts";
import type { Reply } from "./reply.ts";
import { askVerdict } from "./verdict.ts";
import type { Warnings } from "./warnings.ts";

/** What the model is asked, besides the conversation. */
interface Question {
  message: string;
  /** About the patient. */
  facts: Facts;
  /** For the model, about what the screen found. */
  notice: string | undefined;
  /** Of the clinic's information, which the answer may cite. */
  passages: Passages;
  /** Whether the screen is not certain of a danger, on which the model gives a verdict in a request of its own. */
  needsVerdict: boolean;
}

/** What came of asking the model: nothing if a person, `by`, has taken over. `signal` is its request for a person. */
export type Answer =
  | { kind: "answered"; model: string | null; signal: HandoffSignal | undefined }
  | { kind: "unanswered"; model: string | null; failure: unknown }
  | { kind: "held"; model: null; by: string | null };

/**
 * Asks the model, unless loading has already failed or a person has taken over, and writes its verdict and its words as
 * they arrive: the first word after the verdict, if there has to be one. Never fails: what a failure means for the
 * caller is not decided here.
 *
 * @returns the answer's kind, with the model that wrote words of it; null if none did
 */
export async function ask(
  context: CallerContext,
  { conversation, history, failure }: Ready,
  { message, facts, notice, passages, needsVerdict }: Question,
  reply: Reply,
  warnings: Warnings,
): Promise<Answer> {
  const thread = conversation?.thread;
  if (failure !== undefined || thread?.hold) {
    warnings.raiseLikely();
    return thread?.hold && failure === undefined
      ? { kind: "held", model: null, by: thread.hold.by }
      : { kind: "unanswered", model: null, failure };
  }
  let model: string | null = null;
  let signal: HandoffSignal | undefined;
  let begun = false;
  const silence = new AbortController();
  const limitSilence = () => {
    if (reply.alert && !reply.streams) {
      setTimeout(() => begun || silence.abort(), ALERT_SILENCE_MILLISECONDS).unref();
    }
  };
  limitSilence();
  let waiting: string | undefined = needsVerdict ? "" : undefined;
  const decided = needsVerdict
    ? askVerdict(context, history, message).then((verdict) => {
        warnings.decide(verdict);
        limitSilence();
        warnings.speak(waiting ?? "");
        waiting = undefined;
      })
    : undefined;
  const echo = new InstructionEcho(NEVER_SAID);
  const markers = passages && new CitationReader(passages);
  const cited = (text: string) => (markers ? markers.push(text) : text);
  const speak = (next: string) => {
    begun = true;
    if (!reply.streams) {
      return; // the words are written once they are complete
    }
    if (reply.parts.length === 0) {
      context.models = model === null ? [] : [model]; // a stream that begins with these words has this mark
    }
    write(cited(echo.push(next)));
  };
  const write = (text: string) => {
    if (waiting !== undefined) {
      waiting += text;
    } else if (text !== "") {
      warnings.speak(text);
    }
  };
  const rest = () => cited(echo.end()) + (markers?.end() ?? "");
  const writeRest = () => reply.streams && write(rest());
  try {
    const { contextTokens } = config.modelLimits;
    const { prompt, ...omitted } = buildPrompt(facts, history, message, notice, contextTokens);
    const windowMoves = omitted.omittedMessages > 0 || (thread?.messageCount ?? 0) > history.length;
    context.log.omittedMessages = omitted.omittedMessages || undefined;
    context.log.omittedFacts = omitted.omittedFacts || undefined;
    const milliseconds = context.deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
    const waitsForHelp = reply.alert !== undefined && !reply.streams;
    const words = await getAnswer(context, prompt, {
      cache: thread && { key: thread.generation, reusable: !windowMoves },
      milliseconds: waitsForHelp ? Math.min(milliseconds, ALERT_MILLISECONDS) : milliseconds,
      onModel: (name) => {
        model = name;
      },
      onText: reply.streams || reply.alert || needsVerdict ? speak : undefined,
      signal: silence.signal,
      onAlert: (alert, named) => warnings.raiseByModel(alert, named),
      onHandoff: (reason) => {
        signal = reason;
      },
    });
    writeRest();
    await decided;
    if (!reply.streams) {
      warnings.speak((cited(echo.push(words)) + rest()).trimEnd());
    }
    if (!reply.parts.some(({ kind }) => kind === "words")) {
      throw new ModelError("empty"); // all of it repeated the instructions
    }
    return { kind: "answered", model, signal };
  } catch (error) {
    writeRest();
    await decided;
    const spoken = reply.parts.some(({ kind }) => kind === "words");
    return { kind: "unanswered", model: spoken ? model : null, failure: error };
  }
}
