import { isRecognizedAsCalm } from "../../packages/safety/calm.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { AnswerPart } from "../threads/answer-parts.ts";
import { type Answer, ask } from "./ask.ts";
import { besidesAlert } from "./besides-alert.ts";
import { withCitations } from "./clinic-sources.ts";
import { requireReply } from "./require-reply.ts";
import type { Screened } from "./screen-message.ts";

/** What is known once the model was asked. */
export interface Answered extends Screened {
  answer: Answer;
  /** What the user has read by then. */
  written: readonly AnswerPart[];
  /** Whether somebody may be in danger, so that there has to be a reply. */
  inDanger: boolean;
}

/**
 * Asks the model, and decides whether there is a reply without its answer.
 *
 * @throws the failures that {@link requireReply} passes on
 */
export async function answerMessage(context: CallerContext, screened: Screened): Promise<Answered> {
  const answer = await ask(context, screened);
  context.models = answer.model === null ? [] : [answer.model];
  const inDanger = mayBeInDanger(screened, answer);
  if (answer.kind === "unanswered") {
    requireReply(answer.failure, inDanger, "answered-without-model");
  }
  return { ...screened, answer, written: withCitations(screened.reply.parts, screened.passages), inDanger };
}

function mayBeInDanger({ request, questions, alerted, screening, reply }: Screened, answer: Answer): boolean {
  const wasInDanger = alerted || screening.earlierAlert !== undefined;
  if (screening.finding !== undefined || reply.alert !== undefined || wasInDanger) {
    return true;
  }
  // What is rejected, such as a client over its quota, is no outage: it is answered only if a danger is found.
  const isOutage = answer.kind === "unanswered" && !(answer.failure instanceof ServiceError);
  return isOutage && !besidesAlert("calm", () => isRecognizedAsCalm(request.message, questions), false);
}
