import { config } from "../config.ts";
import { setAiMark } from "../disclosure/ai-mark.ts";
import { getAnswer } from "../model/answer.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { HandoffSignal } from "../safety/level-words.ts";
import { ALERT_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { Ready } from "./load.ts";
import { buildPrompt } from "./prompt.ts";
import type { Answer, ReplyWriter, Told } from "./reply.ts";
import { askVerdict } from "./verdict.ts";

/** What the model is asked, besides the conversation. */
interface Question {
  message: string;
  /** About the patient. */
  facts: Facts;
  /** For the model, about what the screen found. */
  notice: string | undefined;
  /** Whether the screen suspects a danger, on which the model gives a verdict in a request of its own. */
  isSuspected: boolean;
}

/** An answer, and the model that wrote words of it; null if none did. */
export type WrittenAnswer = Answer & { model: string | null };

/**
 * Asks the model, unless loading has already failed or a person has taken over, and sends its verdict and its words as they
 * arrive: the first word after the verdict, if there has to be one. Never fails: what a failure means for the caller is not decided here.
 *
 * @param first what the user has been told already
 */
export async function ask(
  context: CallerContext,
  { conversation, history, failure }: Ready,
  { message, facts, notice, isSuspected }: Question,
  writer: ReplyWriter,
  first: Told,
): Promise<WrittenAnswer> {
  let told = first;
  let model: string | null = null;
  if (failure !== undefined) {
    return { kind: "unanswered", ...told, failure, model };
  }
  const thread = conversation?.thread;
  if (thread?.hold) {
    return { kind: "held", ...told, by: thread.hold.by, model };
  }
  let signal: HandoffSignal | undefined;
  let held: string | undefined = isSuspected ? "" : undefined;
  const decided = isSuspected
    ? askVerdict(context, history, message).then((verdict) => {
        told = writer.speak(writer.decide(told, verdict), held ?? "");
        held = undefined;
      })
    : undefined;
  const speak = (next: string) => {
    if (told.words === "") {
      setAiMark(context, [model]); // a stream that begins with these words sends it now
    }
    if (held === undefined) {
      told = writer.speak(told, next);
    } else {
      held += next;
    }
  };
  try {
    const { contextTokens } = config.modelLimits;
    const { prompt, ...omitted } = buildPrompt(facts, history, message, notice, contextTokens);
    const windowMoves = omitted.omittedMessages > 0 || (thread?.messageCount ?? 0) > history.length;
    context.log.omittedMessages = omitted.omittedMessages || undefined;
    context.log.omittedFacts = omitted.omittedFacts || undefined;
    const milliseconds = context.deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
    const waitsForHelp = first.warning.alert !== undefined && !writer.streams;
    const words = await getAnswer(context, prompt, {
      cache: thread && { key: thread.generation, reusable: !windowMoves },
      milliseconds: waitsForHelp ? Math.min(milliseconds, ALERT_MILLISECONDS) : milliseconds,
      onModel: (name) => {
        model = name;
      },
      onText: writer.streams ? speak : undefined,
      onAlert: (alert, named) => {
        told = writer.raiseByModel(told, alert, named);
      },
      onHandoff: (reason) => {
        signal = reason;
      },
    });
    await decided;
    return { kind: "answered", ...(writer.streams ? told : writer.speak(told, words)), signal, model };
  } catch (error) {
    await decided;
    return { kind: "unanswered", ...told, failure: error, model: told.words === "" ? null : model };
  }
}
