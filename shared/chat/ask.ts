import { config } from "../config.ts";
import { getAnswer } from "../model/answer.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request-context.ts";
import { ALERT_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { Ready } from "./load.ts";
import { buildPrompt } from "./prompt.ts";
import type { Answer, ReplyWriter, Warning } from "./reply.ts";

/** What the model is asked, besides the conversation. */
interface Question {
  message: string;
  /** About the patient. */
  facts: Facts;
  /** For the model, about what the screen found. */
  notice: string | undefined;
}

/**
 * Asks the model, unless loading has already failed, and sends its verdict and its words as they arrive. Never fails:
 * what a failure means for the caller is not decided here.
 *
 * @param first what the user has been told already
 */
export async function ask(
  context: CallerContext,
  { conversation, history, failure }: Ready,
  { message, facts, notice }: Question,
  writer: ReplyWriter,
  first: Warning,
): Promise<Answer> {
  let warning = first;
  let words = "";
  let ruledOut = false;
  if (failure !== undefined) {
    return { kind: "unanswered", warning, words, failure };
  }
  try {
    const { contextTokens } = config.modelLimits;
    const { prompt, ...omitted } = buildPrompt(facts, history, message, notice, contextTokens);
    const thread = conversation?.thread;
    const windowMoves = omitted.omittedMessages > 0 || (thread?.messageCount ?? 0) > history.length;
    context.log.omittedMessages = omitted.omittedMessages || undefined;
    context.log.omittedFacts = omitted.omittedFacts || undefined;
    const milliseconds = context.deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
    const waitsForHelp = first.alert !== undefined && !writer.streams;
    const answer = await getAnswer(context, prompt, {
      cache: thread && { key: thread.generation, reusable: !windowMoves },
      milliseconds: waitsForHelp ? Math.min(milliseconds, ALERT_MILLISECONDS) : milliseconds,
      onText: writer.streams
        ? (next) => {
            words = writer.speak(words, next);
          }
        : undefined,
      onAlert: (alert, named) => {
        warning = writer.raiseByModel(warning, alert, named);
      },
      onNone: () => {
        ruledOut = true;
      },
    });
    return { kind: "answered", warning, words: answer, ruledOut };
  } catch (error) {
    return { kind: "unanswered", warning, words, failure: error };
  }
}
