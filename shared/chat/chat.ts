import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { annotate, describeError, logError } from "../logger.ts";
import { getAnswer } from "../model/answer.ts";
import { clinicalFacts, type Facts } from "../patients/clinical-facts.ts";
import type { Patient } from "../patients/patient.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import { findCautions } from "../safety/cautions.ts";
import { cautionText } from "../safety/fixed-texts.ts";
import { screen } from "../safety/screen.ts";
import { type Reservation, release } from "../threads/idempotency-record-repository.ts";
import { THREAD_GONE, type Thread } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { type Conversation, readConversation } from "../threads/thread-repository.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { ALERT_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { otherPatient, patientOf } from "./chat-patient.ts";
import type { ChatRequest, ChatResponse, Message } from "./chat-schemas.ts";
import { reserveKey } from "./idempotency.ts";
import { buildPrompt, toMessages } from "./prompt.ts";
import { Reply } from "./reply.ts";

/** What a chat is given besides the request's body. */
export interface ChatContext {
  caller: Caller;
  /** When the invocation ends, in milliseconds since the epoch. */
  deadline: number;
  /** Receives the answer's text as it arrives; undefined if it is not wanted before it is complete. */
  onText?: ((text: string) => void) | undefined;
  /** As a hash; without a thread there is no place to store an answer, and the key has no effect. */
  idempotencyKey?: string | undefined;
}

/** What is known before the model is called. */
interface Loaded {
  /** The thread with its last turns; undefined without a thread. */
  conversation?: Conversation;
  /** Earlier messages, oldest first. */
  history: Message[];
  patient?: Patient | undefined;
  /** Holds the request's idempotency key until the turn is committed. */
  reservation?: Reservation;
  /** The stored response to an earlier request with the same idempotency key. */
  replay?: ChatResponse;
  /** What the database failed with. */
  failure?: unknown;
}

/**
 * `POST /chat`: answers a message, using the patient's record and the thread's last messages.
 *
 * 1. Load the thread and the patient, and reserve the idempotency key.
 * 2. Screen the message for signs of danger.
 * 3. Ask the model.
 * 4. Add cautions about drugs that the patient's record contraindicates.
 * 5. Commit the turn to the thread.
 *
 * A message with a safety alert is answered even if the model or the database fails: {@link requireAlert} decides.
 *
 * @returns the body of success; its `response` is all that was passed to `onText`. A response that could not be stored,
 *   which only a message with a safety alert gets, has no `threadId`
 * @throws ServiceError `not-found` for a thread or a patientId that does not exist; `invalid` if the request names
 *   another patient than the thread's; `unprocessable` and `conflict` as {@link reserveKey} says. Without a safety
 *   alert, also the failures of the model and the database
 */
export async function chat(request: ChatRequest, context: ChatContext): Promise<ChatResponse> {
  const reply = new Reply(context.onText);
  const loaded: Loaded = { history: request.conversationHistory ?? [] };
  let committed = false;
  try {
    await load(loaded, request, context);
    if (loaded.replay) {
      return replayed(loaded.replay, context);
    }
    const alert = screen(request.message, questionsOf(loaded.history));
    const facts = clinicalFacts(loaded.patient, request.patientData);
    const answer = await ask(request, context, loaded, facts, alert, reply);
    const cautions = answer === undefined ? [] : findCautions(facts, request.message, answer).map(cautionText);
    const response = answer === undefined ? reply.endWithoutModel() : reply.end(answer, cautions);
    const thread = await commit(request, context, loaded, response, alert, reply);
    committed = thread !== undefined;
    return { success: true, response, threadId: thread?.threadId, messageCount: thread?.messageCount };
  } finally {
    if (loaded.conversation && loaded.reservation && !committed) {
      await release(loaded.conversation.thread, loaded.reservation).catch(() => {}); // its lease ends by itself
    }
  }
}

/** Loads what the answer draws on. A failure of the database is noted: what it means depends on the message. */
async function load(loaded: Loaded, request: ChatRequest, context: ChatContext): Promise<void> {
  try {
    if (request.threadId !== undefined) {
      await loadThread(loaded, request, request.threadId, context);
    }
    if (!loaded.replay) {
      loaded.patient = await patientOf(context.caller, request, loaded.conversation?.thread);
      annotate({ patientId: loaded.patient?.id });
    }
  } catch (failure) {
    if (failure instanceof ServiceError) {
      throw failure;
    }
    loaded.failure = failure;
  }
}

async function loadThread(
  loaded: Loaded,
  request: ChatRequest,
  threadId: string,
  { idempotencyKey, deadline }: ChatContext,
): Promise<void> {
  let conversation = await findConversation(threadId);
  annotate({ threadId });
  if (idempotencyKey !== undefined) {
    const waitUntil = deadline - COMMIT_RESERVE_MILLISECONDS;
    const outcome = await reserveKey(conversation.thread, request, idempotencyKey, deadline, waitUntil);
    if (!outcome) {
      throw threadGone();
    }
    if (outcome.kind === "answered") {
      const { answer: response, messageCount } = outcome;
      loaded.replay = { success: true, response, threadId, messageCount };
      return;
    }
    loaded.conversation = conversation;
    loaded.reservation = outcome.reservation;
    if (outcome.waited) {
      conversation = await findConversation(threadId); // other requests may have been answered in the meantime
    }
  }
  loaded.conversation = conversation;
  loaded.history = toMessages(conversation.turns);
}

function replayed(response: ChatResponse, { onText }: ChatContext): ChatResponse {
  annotate({ replayed: true });
  onText?.(response.response);
  return response;
}

/** @returns the model's answer; undefined if the alert's fixed text has to do without it */
async function ask(
  request: ChatRequest,
  { caller, deadline }: ChatContext,
  loaded: Loaded,
  facts: Facts,
  alert: SafetyAlert | undefined,
  reply: Reply,
): Promise<string | undefined> {
  try {
    if (loaded.failure !== undefined) {
      throw loaded.failure;
    }
    if (alert) {
      reply.raise(alert, "screen");
    }
    const { contextTokens } = config.modelLimits;
    const { prompt, ...omitted } = buildPrompt(facts, loaded.history, request.message, alert, contextTokens);
    annotate({
      omittedMessages: omitted.omittedMessages || undefined,
      omittedFacts: omitted.omittedFacts || undefined,
    });
    const milliseconds = deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
    return await getAnswer(prompt, {
      caller,
      milliseconds: alert && !reply.streamed ? Math.min(milliseconds, ALERT_MILLISECONDS) : milliseconds,
      onText: reply.streamed ? (words) => reply.speak(words) : undefined,
      onAlert: (opinion) => reply.raise(opinion, "model"),
    });
  } catch (error) {
    requireAlert(error, alert, reply);
    logError("answered-without-model", describeError(error));
    return undefined;
  }
}

/**
 * Commits the turn to the thread.
 *
 * @returns undefined without a thread, and if the response to an alert could not be stored
 */
async function commit(
  request: ChatRequest,
  { deadline }: ChatContext,
  { conversation, patient, reservation }: Loaded,
  response: string,
  alert: SafetyAlert | undefined,
  reply: Reply,
): Promise<Thread | undefined> {
  if (!conversation) {
    return undefined;
  }
  try {
    const turn = { question: request.message, answer: response };
    const giveUpAt = deadline - COMMIT_RESERVE_MILLISECONDS / 2;
    const options = { reservation, patientId: patient?.id };
    const thread = await commitTurn(conversation.thread, turn, giveUpAt, options);
    if (thread === "other-patient") {
      throw otherPatient(request);
    }
    if (!thread) {
      throw threadGone();
    }
    return thread;
  } catch (error) {
    requireAlert(error, alert, reply);
    logError("answered-unstored", describeError(error));
    return undefined;
  }
}

/**
 * The only place that decides what a failure of the model or the database means for the caller: for a message with a
 * safety alert, the alert's fixed text is the response; for any other, the error is.
 *
 * @param alert what the screen found; the model may have raised another one
 * @throws the error, if it is the response
 */
function requireAlert(error: unknown, alert: SafetyAlert | undefined, reply: Reply): void {
  const raised = reply.alert ?? alert;
  if (!raised || error instanceof ServiceError) {
    throw error;
  }
  reply.raise(raised, "screen");
}

async function findConversation(threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(threadId) : undefined;
  if (!conversation) {
    throw threadGone();
  }
  return conversation;
}

function questionsOf(history: Message[]): string[] {
  return history.filter(({ role }) => role === "user").map(({ content }) => content);
}

function threadGone(): ServiceError {
  return new ServiceError("not-found", THREAD_GONE);
}
