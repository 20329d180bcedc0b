import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { annotate, describeError, logError } from "../logger.ts";
import { getAnswer } from "../model/answer.ts";
import { clinicalFacts, type Facts } from "../patients/clinical-facts.ts";
import { PATIENT_UNKNOWN, type Patient } from "../patients/patient.ts";
import { findCautions } from "../safety/cautions.ts";
import { screen } from "../safety/screen.ts";
import type { Screening } from "../safety/screening.ts";
import { isUnknownLanguage } from "../safety/unknown-language.ts";
import type { Tenant } from "../tenant.ts";
import { type Reservation, release } from "../threads/idempotency-record-repository.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { THREAD_GONE, type Thread } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { type Conversation, readConversation } from "../threads/thread-repository.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { ALERT_MILLISECONDS, COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { otherPatient, patientOf } from "./chat-patient.ts";
import type { ChatRequest, Message } from "./chat-request.ts";
import type { ChatResponse } from "./chat-response.ts";
import { type Replay, reserveKey } from "./idempotency.ts";
import { screenNotice } from "./instructions.ts";
import { buildPrompt, toMessages } from "./prompt.ts";
import { Reply, type ReplyListener } from "./reply.ts";

/** The inputs of a chat besides the request body. */
export interface ChatContext extends ReplyListener {
  caller: Caller;
  /** Called before the first text if the response is a replay. */
  onReplay?: (() => void) | undefined;
  /** The 429 of a client over a quota; undefined otherwise. Awaited after the first round trip. */
  rejection?: Promise<ServiceError | undefined> | undefined;
  /** The end of the invocation, in milliseconds since the epoch. */
  deadline: number;
  /** A hash. Without a thread, answers are not stored, so the key has no effect. */
  idempotencyKey?: string | undefined;
}

/** The data known before the model is called. */
interface Loaded {
  /** The thread with its last turns; undefined without a thread. */
  conversation?: Conversation;
  /** Earlier messages, oldest first. */
  history: Message[];
  patient?: Patient | undefined;
  /** Holds the request's idempotency key until the turn is committed. */
  reservation?: Reservation;
  /** The stored response to an earlier request with the same idempotency key. */
  replay?: Replay;
  /** The 429 for the request, unless someone may be in danger. */
  rejection?: ServiceError | undefined;
  /** The database's error. */
  failure?: unknown;
}

/** Runs the safety screen once, so that the first chat does not wait for its data and code to load. */
export function loadScreen(): void {
  screen("I have had a headache since yesterday. What can I take?", ["My head hurts"]);
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
 * What a failure of the model or the database means is decided by {@link requireReply}.
 *
 * @returns the body of success; its `response` is exactly the text passed to `onText`. A response that could not be
 *   stored, which is returned only if someone may be in danger, has no `threadId`
 * @throws ServiceError `not-found` for an unknown thread or patientId; `invalid` if the request names a patient other
 *   than the thread's; `unprocessable` and `conflict` as in {@link reserveKey}. Also the failures of the model and the
 *   database that {@link requireReply} passes on
 */
export async function chat(request: ChatRequest, context: ChatContext): Promise<ChatResponse> {
  const loaded: Loaded = { history: request.conversationHistory ?? [] };
  let committed = false;
  try {
    await load(loaded, request, context);
    if (loaded.replay) {
      return replayed(loaded.replay, request, context);
    }
    const screenedAt = performance.now();
    const screening = screen(request.message, questionsOf(loaded.history));
    annotate({ screenMs: Math.round(performance.now() - screenedAt) });
    const facts = clinicalFacts(loaded.patient, request.patientData);
    const reply = new Reply(listenerOf(request, context), screening, facts);
    reply.begin();
    const answer = await ask(request, context, loaded, facts, screening, reply);
    const response =
      answer === undefined ? reply.endWithoutModel() : reply.end(answer, findCautions(facts, request.message, answer));
    const thread = await commit(request, context, loaded, response, screening, reply);
    committed = thread !== undefined;
    return {
      success: true,
      response,
      threadId: thread?.threadId,
      messageCount: thread?.messageCount,
      safety: includesSafety(request) ? reply.report.safety : undefined,
    };
  } finally {
    if (loaded.conversation && loaded.reservation && !committed) {
      // If the release fails, the lease expires.
      await release(context.caller.tenant, loaded.conversation.thread, loaded.reservation).catch(() => {});
    }
  }
}

function includesSafety({ include }: ChatRequest): boolean {
  return include?.includes("safety") === true;
}

function listenerOf(request: ChatRequest, { onText, onSafety }: ChatContext): ReplyListener {
  return { onText, onSafety: includesSafety(request) ? onSafety : undefined };
}

/** Loads the data for the answer. A database failure is only recorded, because its effect depends on the message. */
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
      throw (await context.rejection) ?? failure;
    }
    loaded.failure = failure;
  }
  loaded.rejection = await context.rejection;
}

async function loadThread(
  loaded: Loaded,
  request: ChatRequest,
  threadId: string,
  { caller: { tenant }, rejection, idempotencyKey, deadline }: ChatContext,
): Promise<void> {
  let conversation = await findConversation(tenant, threadId);
  annotate({ threadId });
  if (idempotencyKey !== undefined && !(await rejection)) {
    const waitUntil = deadline - COMMIT_RESERVE_MILLISECONDS;
    const outcome = await reserveKey(tenant, conversation.thread, request, idempotencyKey, deadline, waitUntil);
    if (outcome.kind === "thread-gone") {
      throw threadGone();
    }
    if (outcome.kind === "answered") {
      loaded.replay = outcome;
      return;
    }
    loaded.conversation = conversation;
    loaded.reservation = outcome.reservation;
    if (outcome.waited) {
      conversation = await findConversation(tenant, threadId); // other requests may have completed in the meantime
    }
  }
  loaded.conversation = conversation;
  loaded.history = toMessages(conversation.turns);
}

/** Replays a stored response in the order in which it was first streamed: fixed text, the model's words, cautions. */
function replayed(
  { answer, messageCount, report }: Replay,
  { threadId }: ChatRequest,
  { onText, onSafety, onReplay }: ChatContext,
): ChatResponse {
  annotate({ replayed: true });
  onReplay?.();
  const { safety, from, to } = report ?? { from: 0, to: answer.length };
  const say = (text: string) => text !== "" && onText?.(text);
  if (safety) {
    onSafety?.({ ...safety, cautions: [] });
  }
  say(answer.slice(0, from));
  say(answer.slice(from, to));
  if (safety && safety.cautions.length > 0) {
    onSafety?.(safety);
  }
  say(answer.slice(to));
  return { success: true, response: answer, threadId, messageCount, safety };
}

/** @returns the model's answer; undefined if the reply does not include it */
async function ask(
  request: ChatRequest,
  { caller, deadline }: ChatContext,
  loaded: Loaded,
  facts: Facts,
  screening: Screening,
  reply: Reply,
): Promise<string | undefined> {
  try {
    if (loaded.rejection ?? loaded.failure) {
      throw loaded.rejection ?? loaded.failure;
    }
    const { contextTokens } = config.modelLimits;
    const notice = screenNotice(screening, reply.opening);
    const { prompt, ...omitted } = buildPrompt(facts, loaded.history, request.message, notice, contextTokens);
    const thread = loaded.conversation?.thread;
    const windowMoves = omitted.omittedMessages > 0 || (thread?.messageCount ?? 0) > loaded.history.length;
    annotate({
      omittedMessages: omitted.omittedMessages || undefined,
      omittedFacts: omitted.omittedFacts || undefined,
    });
    const milliseconds = deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
    return await getAnswer(prompt, {
      caller,
      cache: thread && { key: thread.generation, reusable: !windowMoves },
      milliseconds: reply.hasAlert && !reply.streamed ? Math.min(milliseconds, ALERT_MILLISECONDS) : milliseconds,
      onText: reply.streamed ? (words) => reply.speak(words) : undefined,
      onAlert: (alert, named) => reply.raiseByModel(alert, named),
      onNone: () => reply.ruleOut(),
    });
  } catch (error) {
    requireReply(error, request, screening, reply);
    if (error !== loaded.rejection) {
      logError("answered-without-model", describeError(error));
    }
    return undefined;
  }
}

/**
 * Commits the turn to the thread.
 *
 * @returns undefined without a thread, and if the response could not be stored
 */
async function commit(
  request: ChatRequest,
  { caller: { tenant }, deadline }: ChatContext,
  { conversation, patient, reservation }: Loaded,
  response: string,
  screening: Screening,
  reply: Reply,
): Promise<Thread | undefined> {
  if (!conversation) {
    return undefined;
  }
  try {
    const replay = includesSafety(request) ? reply.report : undefined;
    const { disclosureLength } = reply;
    const turn = {
      question: request.message,
      answer: response,
      disclosureLength: disclosureLength || undefined,
      replay,
    };
    const giveUpAt = deadline - COMMIT_RESERVE_MILLISECONDS / 2;
    const options = { reservation, patientId: patient?.id };
    const [outcome] = await Promise.all([
      commitTurn(tenant, conversation.thread, turn, giveUpAt, options),
      keepCounted(tenant, conversation.thread),
    ]);
    switch (outcome.kind) {
      case "committed":
        return outcome.thread;
      case "other-patient":
        throw otherPatient(request);
      case "patient-erased":
        throw new ServiceError("not-found", PATIENT_UNKNOWN);
      case "thread-gone":
        throw threadGone();
    }
  } catch (error) {
    requireReply(error, request, screening, reply);
    logError("answered-unstored", describeError(error));
    return undefined;
  }
}

/**
 * The only place that decides what a model failure, a database failure or an exceeded quota means for the caller. It is
 * not passed on if someone may be in danger: the screen found or suspects an alert, the model raised one, or the
 * message is in a language that the screen cannot read and no model has answered it. The reply is then the fixed text
 * or the neutral text.
 *
 * @throws the error, if it is passed on
 */
function requireReply(error: unknown, { message }: ChatRequest, { finding, language }: Screening, reply: Reply): void {
  const unreadable = language === "en" && isUnknownLanguage(message) && !reply.isAnswered;
  const mayBeDanger = finding !== undefined || reply.hasAlert || unreadable;
  const rejected = error instanceof ServiceError && error.kind !== "over-quota";
  if (!mayBeDanger || rejected) {
    throw error;
  }
}

async function findConversation(tenant: Tenant, threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(tenant, threadId) : undefined;
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
