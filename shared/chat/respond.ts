import { config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { annotate, describeError, logError } from "../logger.ts";
import { findAnswer } from "../model/answer.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { findCautions } from "../safety/cautions.ts";
import { cautionText } from "../safety/fixed-texts.ts";
import { screen } from "../safety/screen.ts";
import type { Conversation } from "../threads/thread-repository.ts";
import { patientOf } from "./chat-patient.ts";
import type { ChatRequest, Message } from "./chat-schemas.ts";
import { buildPrompt, clinicalFacts, toMessages } from "./prompt.ts";
import type { Reply } from "./reply.ts";

/** How long an alert's fixed text may wait for the model when nothing is streamed: nobody waits longer for help. */
const ALERT_MILLISECONDS = 10_000;

/**
 * Says what there is to say to a message. For an alert, this succeeds without the model and without the database too.
 *
 * @param conversation the thread's, if there is one
 * @param budgetMilliseconds what the model may take
 * @param reply takes the parts as they become known
 * @returns the reply's whole text
 * @throws ServiceError as {@link patientOf} says; without an alert, what the model or the database fails with
 */
export async function respond(
  request: ChatRequest,
  conversation: Conversation | undefined,
  budgetMilliseconds: number,
  reply: Reply,
): Promise<string> {
  const history = conversation ? toMessages(conversation.turns) : (request.conversationHistory ?? []);
  const alert = screen(request.message, questionsOf(history));
  try {
    return await answerWithModel(request, conversation, history, alert, budgetMilliseconds, reply);
  } catch (error) {
    if (error instanceof ServiceError || !(alert ?? reply.alert)) {
      throw error;
    }
    logError("answered-without-model", describeError(error));
    if (alert) {
      reply.raise(alert, "screen");
    }
    return reply.endWithoutModel();
  }
}

async function answerWithModel(
  request: ChatRequest,
  conversation: Conversation | undefined,
  history: Message[],
  alert: SafetyAlert | undefined,
  budgetMilliseconds: number,
  reply: Reply,
): Promise<string> {
  const patient = await patientOf(request, conversation?.thread);
  annotate({ patientId: patient?.id });
  if (alert) {
    reply.raise(alert, "screen");
  }
  const facts = clinicalFacts(patient, request.patientData);
  const { contextTokens } = config.modelLimits;
  const { prompt, omittedMessages, omittedFacts } = buildPrompt(facts, history, request.message, alert, contextTokens);
  annotate({ omittedMessages: omittedMessages || undefined, omittedFacts: omittedFacts || undefined });
  const budget = alert && !reply.streamed ? Math.min(budgetMilliseconds, ALERT_MILLISECONDS) : budgetMilliseconds;
  const answer = await findAnswer(prompt, budget, {
    onText: reply.streamed ? (words) => reply.speak(words) : undefined,
    onAlert: (opinion) => reply.raise(opinion, "model"),
  });
  return reply.end(answer, findCautions(facts, request.message, answer).map(cautionText));
}

function questionsOf(history: Message[]): string[] {
  return history.filter(({ role }) => role === "user").map(({ content }) => content);
}
