import { config } from "../config.ts";
import { clinicalFacts, type Facts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import { screen } from "../safety/screen.ts";
import type { Screening } from "../safety/screening.ts";
import { isUnreadLanguage } from "../safety/unread-language.ts";
import type { SearchIndex } from "../sources/search-index.ts";
import type { AnswerPart } from "../threads/thread-responses.ts";
import { type Answer, ask } from "./ask.ts";
import { withAskedDrugs } from "./asked-drugs.ts";
import type { ChatRequest } from "./chat-request.ts";
import { type Passages, passagesFor, sourcesNotice, withCitations } from "./clinic-sources.ts";
import { screenNotice } from "./instructions.ts";
import type { Ready } from "./load.ts";
import { Reply, type ReplyListener } from "./reply.ts";
import { requireReply } from "./require-reply.ts";
import { Warnings } from "./warnings.ts";

/** Runs the safety screen once, so that the first chat does not wait for its data and code to load. */
export function loadScreen(): void {
  screen("I have had a headache since yesterday. What can I take?", ["My head hurts"]);
}

/** What is known once the model was asked. */
export interface Draft {
  reply: Reply;
  warnings: Warnings;
  screening: Screening;
  facts: Facts;
  answer: Answer;
  /** The message with the drugs that it asks about, for cautions. */
  asked: string;
  /** The passages that the model got. */
  passages: Passages;
  /** What the user was told by then. */
  told: readonly AnswerPart[];
  /** Whether somebody may be in danger, so that there has to be a reply. */
  inDanger: boolean;
}

/**
 * Screens the message for signs of danger, and asks the model.
 *
 * @throws the failures that {@link requireReply} passes on
 */
export async function screenAndAsk(
  context: CallerContext,
  request: ChatRequest,
  loaded: Ready & { sources: SearchIndex | undefined },
  listener: ReplyListener | undefined,
): Promise<Draft> {
  const { message } = request;
  if (listener && !loaded.conversation?.thread.hold) {
    context.models = configuredModels(); // for a stream that begins with a fixed text, whichever model answers
  }
  const startedAt = performance.now();
  const screening = screen(message, loaded.questions);
  context.log.screenMs = Math.round(performance.now() - startedAt);

  const facts = clinicalFacts(loaded.patient, request.patientData);
  const said = [...loaded.questions.slice(-2), message];
  const reply = new Reply(listener);
  const warnings = new Warnings(reply, screening, facts, said);
  warnings.begin();
  const needsVerdict = screening.finding !== undefined && screening.finding.certainty !== "certain";
  const isCertain = screening.finding?.certainty === "certain";
  const passages = isCertain ? undefined : passagesFor(loaded.sources, message, loaded.questions);
  const notices = [screenNotice(screening, warnings.above()), passages && sourcesNotice(passages)];
  const notice = notices.filter((text) => text !== undefined).join("\n\n") || undefined;
  const answer = await ask(context, loaded, { message, facts, notice, passages, needsVerdict }, reply, warnings);
  context.models = answer.model === null ? [] : [answer.model];

  const wasInDanger = loaded.alerted || screening.earlierAlert !== undefined;
  const isFound = screening.finding !== undefined || reply.alert !== undefined || wasInDanger;
  const isUnread = answer.kind === "unanswered" && !isFound && (await isUnreadLanguage(message, screening.language));
  if (isUnread) {
    screening.language = "en"; // whatever it resembles
  }
  const inDanger = isFound || isUnread;
  if (answer.kind === "unanswered") {
    requireReply(answer.failure, inDanger, "answered-without-model");
  }
  const asked = withAskedDrugs(message, loaded.conversation?.turns);
  return {
    reply,
    warnings,
    screening,
    facts,
    answer,
    asked,
    passages,
    told: withCitations(reply.parts, passages),
    inDanger,
  };
}

function configuredModels(): string[] {
  const { model, fallbackModel } = config;
  return fallbackModel ? [model.name, fallbackModel.name] : [model.name];
}
