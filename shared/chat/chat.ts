import { config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { annotate, logWarning } from "../logger.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import { type Reservation, release } from "../threads/reservation-repository.ts";
import { isThreadId } from "../threads/thread.ts";
import { appendExchange, type Conversation, readConversation } from "../threads/thread-repository.ts";
import { findAnswer } from "./answer.ts";
import type { ChatRequest, ChatResponse } from "./chat-schemas.ts";
import { claimKey } from "./idempotency.ts";
import { buildPrompt, toMessages } from "./prompt.ts";

/**
 * What an invocation keeps for what comes after the model: a commit whose three tries all run into their time limit
 * (`shared/dynamo/client.ts`), and the answer's way out.
 */
const RESERVE_MILLISECONDS = 7_000;

/** What a chat is given besides the request's body. */
export interface ChatContext {
  /** What the invocation has left. */
  remainingMilliseconds: () => number;
  /** Takes the answer's words as they come; undefined when they are not wanted before the whole. */
  onText?: ((text: string) => void) | undefined;
  /** As a hash; without a thread there is no place to keep an answer, and the key means nothing. */
  idempotencyKey?: string | undefined;
}

/**
 * `POST /chat`: answers a message, knowing the patient's record and the thread's last 20 messages.
 *
 * @returns the body of success; what was passed to `onText`, put together, is its `response`
 * @throws ServiceError `not-found` for a thread or a patientId that does not exist; `invalid` when the request names
 *   another patient than the thread's; `unprocessable` and `conflict` as {@link claimKey} says; whatever the model or
 *   the database fails with
 */
export async function chat(request: ChatRequest, context: ChatContext): Promise<ChatResponse> {
  if (request.threadId === undefined) {
    return { success: true, response: await answer(request, undefined, context) };
  }
  const conversation = await findConversation(request.threadId);
  annotate({ threadId: request.threadId });
  if (context.idempotencyKey === undefined) {
    return chatInThread(request, conversation, context);
  }
  return chatOnce(request, conversation, context.idempotencyKey, context);
}

/** A chat that is not repeated when its request is: the answer given before is given again. */
async function chatOnce(
  request: ChatRequest,
  conversation: Conversation,
  key: string,
  context: ChatContext,
): Promise<ChatResponse> {
  const { thread } = conversation;
  const endsAt = Date.now() + context.remainingMilliseconds();
  const claim = await claimKey(thread, request, key, endsAt, endsAt - RESERVE_MILLISECONDS);
  if (!claim) {
    throw threadGone();
  }
  if (claim.kind === "answered") {
    annotate({ replayed: true });
    context.onText?.(claim.answer);
    return { success: true, response: claim.answer, threadId: thread.threadId, messageCount: claim.messageCount };
  }
  try {
    // Others may have been answered while this one waited for its turn.
    const current = claim.waited ? await findConversation(thread.threadId) : conversation;
    return await chatInThread(request, current, context, claim.reservation);
  } catch (error) {
    await release(thread, claim.reservation).catch(() => {}); // the lease ends by itself
    throw error;
  }
}

/**
 * 1. The model is asked. Until it has answered, nothing is written.
 * 2. The exchange is committed to the thread, unless that is gone by now.
 */
async function chatInThread(
  request: ChatRequest,
  conversation: Conversation,
  context: ChatContext,
  reservation?: Reservation,
): Promise<ChatResponse> {
  const text = await answer(request, conversation, context);
  const giveUpAt = Date.now() + context.remainingMilliseconds() - RESERVE_MILLISECONDS / 2;
  const exchange = { question: request.message, answer: text };
  const thread = await appendExchange(conversation.thread, exchange, giveUpAt, reservation);
  if (!thread) {
    throw threadGone();
  }
  return { success: true, response: text, threadId: thread.threadId, messageCount: thread.messageCount };
}

async function answer(
  request: ChatRequest,
  conversation: Conversation | undefined,
  { remainingMilliseconds, onText }: ChatContext,
): Promise<string> {
  const patient = await patientOf(request, conversation);
  annotate({ patientId: patient?.id });
  const history = conversation ? toMessages(conversation.exchanges) : (request.conversationHistory ?? []);
  const { contextTokens } = config.modelLimits;
  const fitted = buildPrompt(patient, request.patientData, history, request.message, contextTokens);
  annotate({
    omittedMessages: fitted.omittedMessages || undefined,
    omittedFacts: fitted.omittedFacts || undefined,
  });
  return findAnswer(fitted.prompt, remainingMilliseconds() - RESERVE_MILLISECONDS, onText);
}

async function findConversation(threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(threadId) : undefined;
  if (!conversation) {
    throw threadGone();
  }
  return conversation;
}

/** The patient this chat is about: the thread's, or else the request's. The two may not differ. */
async function patientOf(request: ChatRequest, conversation: Conversation | undefined): Promise<Patient | undefined> {
  const linkedId = conversation?.thread.patientId ?? undefined;
  if (linkedId === undefined) {
    return findPatient(request);
  }
  if (request.patientId !== undefined && request.patientId.toLowerCase() !== linkedId) {
    throw otherPatient("patientId");
  }
  const [linked, named] = await Promise.all([
    readPatient(linkedId),
    request.patientId === undefined ? findPatient({ phone: request.phone }) : undefined,
  ]);
  if (named && named.id !== linkedId) {
    throw otherPatient("phone");
  }
  if (!linked) {
    logWarning("linked-patient-missing", { patientId: linkedId });
  }
  return linked;
}

function threadGone(): ServiceError {
  return new ServiceError("not-found", "Thread not found or expired");
}

function otherPatient(path: string): ServiceError {
  const message = `${path} names another patient than the one this thread is linked to`;
  return new ServiceError("invalid", message, { details: [{ path, message: "must be the thread's own patient" }] });
}
