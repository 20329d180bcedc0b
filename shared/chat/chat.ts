import { config } from "../config.ts";
import { setAiMark } from "../disclosure/ai-mark.ts";
import { ServiceError } from "../errors.ts";
import { asksForPerson } from "../handoff/person-requests.ts";
import { describeError, logError } from "../observability/logger.ts";
import { clinicalFacts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import { findCautions } from "../safety/cautions.ts";
import { screen } from "../safety/screen.ts";
import { isUnknownLanguage } from "../safety/unknown-language.ts";
import type { HandoffReason } from "../threads/handoff-reason.ts";
import { answerPlace, messageId, questionPlace } from "../threads/message-id.ts";
import { type Thread, turnCount } from "../threads/thread.ts";
import { ask } from "./ask.ts";
import { asksFor, type ChatRequest } from "./chat-request.ts";
import type { ChatResponse } from "./chat-response.ts";
import { commit } from "./commit.ts";
import { planHandoff } from "./handoff.ts";
import { INSTRUCTIONS_VERSION, screenNotice } from "./instructions.ts";
import { load, releaseKey } from "./load.ts";
import { type ReplyListener, ReplyWriter, replay } from "./reply.ts";

/** The inputs of a chat besides the request body. */
export interface ChatOptions extends ReplyListener {
  /** A hash. Without a thread, answers are not stored, so the key has no effect. */
  idempotencyKey?: string | undefined;
  /** Receives why a person is needed, if one is, after the last text. */
  onHandoff?: ((handoff: { reason: HandoffReason }) => void) | undefined;
}

/** Runs the safety screen once, so that the first chat does not wait for its data and code to load. */
export function loadScreen(): void {
  screen("I have had a headache since yesterday. What can I take?", ["My head hurts"]);
}

/**
 * `POST /chat`: answers a message, using the patient's record and the thread's last messages.
 *
 * What a failure of the model or the database, or an exceeded quota, means is decided by {@link requireReply}.
 *
 * @returns the body of success; its `response` is exactly the text passed to `onText`. A response that could not be
 *   stored, which is returned only if someone may be in danger, has no `threadId`
 * @throws ServiceError as in {@link load} and {@link commit}. Also the failures that {@link requireReply} passes on
 */
export async function chat(
  context: CallerContext,
  request: ChatRequest,
  { idempotencyKey, onText, onSafety, onHandoff }: ChatOptions = {},
): Promise<ChatResponse> {
  const showsSafety = asksFor("safety", request);
  const listener = { onText, onSafety: showsSafety ? onSafety : undefined };
  const handoffField = (reason: HandoffReason | undefined): Pick<ChatResponse, "handoff"> => {
    if (!asksFor("handoff", request)) {
      return {};
    }
    const handoff = reason === undefined ? null : { reason };
    if (handoff) {
      onHandoff?.(handoff);
    }
    return { handoff };
  };

  // 1. Load the thread and the patient, and reserve the idempotency key.
  const loaded = await load(context, request, idempotencyKey);
  if (loaded.kind === "replay") {
    const { answer: response, thread, origin } = loaded;
    const report = showsSafety ? loaded.report : undefined;
    context.replayed = true;
    setAiMark(context, origin?.model === null ? [] : [origin?.model ?? null]);
    replay(response, report, listener);
    const { threadId, messageCount } = thread;
    const parts = { safety: report?.safety, ids: idsOf(request, thread), ...handoffField(loaded.handoff) };
    return { success: true, response, threadId, messageCount, ...parts };
  }
  if (onText && !loaded.conversation?.thread.hold) {
    setAiMark(context, configuredModels()); // for a stream that begins with a fixed text, whichever model answers
  }
  let thread: Thread | undefined;
  try {
    // 2. Screen the message for signs of danger.
    const startedAt = performance.now();
    const screening = screen(request.message, loaded.questions);
    context.log.screenMs = Math.round(performance.now() - startedAt);
    const facts = clinicalFacts(loaded.patient, request.patientData);
    const said = [...loaded.questions.slice(-2), request.message].join("\n");
    const writer = new ReplyWriter(listener, screening, facts, said);
    const told = writer.begin();

    // 3. Ask the model.
    const question = {
      ...{ message: request.message, facts, notice: screenNotice(screening, writer.above(told)) },
      isSuspected: screening.finding?.certainty === "suspected",
    };
    const answer = await ask(context, loaded, question, writer, told);
    const unread = answer.kind === "unanswered" && screening.language === "en" && isUnknownLanguage(request.message);
    const wasInDanger = loaded.alerted || screening.earlierAlert !== undefined;
    const inDanger = screening.finding !== undefined || answer.warning.alert !== undefined || unread || wasInDanger;
    setAiMark(context, answer.model === null ? [] : [answer.model]);
    if (answer.kind === "unanswered") {
      requireReply(answer.failure, inDanger, "answered-without-model");
    }

    // 4. Find drugs that the patient's record contraindicates, also if the model has not answered.
    const cautionsWith = (words: string) => findCautions(facts, request.message, words);

    // 5. Request a person if one is needed.
    const signal = asksForPerson(request.message) ? "asked" : answer.kind === "answered" ? answer.signal : undefined;
    const need = { alert: answer.warning.alert, signal };
    const handoff =
      answer.kind === "held"
        ? undefined
        : await planHandoff(context, loaded.conversation?.thread, need, writer.language);
    const planned = writer.end(answer, cautionsWith(answer.words), handoff?.text ?? "");

    // 6. Commit the turn to the thread.
    const origin = { model: answer.model, instructions: INSTRUCTIONS_VERSION, language: screening.language };
    const whenHeld = ({ hold }: Thread) => writer.endHeld(answer, hold?.by, cautionsWith(""));
    const committed = await commit(context, request, loaded, { reply: planned, origin, handoff }, whenHeld).catch(
      (error) => requireReply(error, inDanger, "answered-unstored"),
    );
    thread = committed?.thread;
    const { threadId, messageCount } = thread ?? {};
    const reply = committed?.reply ?? planned;
    const safety = showsSafety ? reply.report.safety : undefined;
    const response = writer.streams ? writer.sent : reply.text;
    const reason = reply.held ? undefined : handoff?.reason;
    if (reply.held && !writer.streams) {
      setAiMark(context, []);
    }
    const parts = { safety, ids: idsOf(request, thread), ...handoffField(reason) };
    return { success: true, response, threadId, messageCount, ...parts };
  } finally {
    if (!thread) {
      await releaseKey(context, loaded);
    }
  }
}

/** Returns the ids of the last turn's messages, if the request asks for them and they are stored. */
function idsOf(request: ChatRequest, thread: Thread | undefined): ChatResponse["ids"] {
  if (!thread || !asksFor("ids", request)) {
    return undefined;
  }
  const turn = turnCount(thread) - 1;
  return { user: messageId(thread, questionPlace(turn)), assistant: messageId(thread, answerPlace(turn)) };
}

function configuredModels(): string[] {
  const { model, fallbackModel } = config;
  return fallbackModel ? [model.name, fallbackModel.name] : [model.name];
}

/**
 * The only place that decides what a model failure, a database failure or an exceeded quota means for the caller. If
 * someone may be in danger, there is a reply nevertheless: the fixed text, or the neutral text.
 *
 * @param inDanger whether the screen found or suspects an alert, the model raised one, there was one earlier in the
 *   conversation, or the message is in a language that the screen cannot read and no model has answered it
 * @param event the name of the log line of such a reply; an exceeded quota needs none
 * @throws the failure, if it is passed on
 */
function requireReply(failure: unknown, inDanger: boolean, event: string): undefined {
  const overQuota = failure instanceof ServiceError && failure.kind === "over-quota";
  if (!inDanger || (failure instanceof ServiceError && !overQuota)) {
    throw failure;
  }
  if (!overQuota) {
    logError(event, describeError(failure));
  }
}
