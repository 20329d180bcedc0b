import { ServiceError } from "../errors.ts";
import { annotate, describeError, logError } from "../logger.ts";
import { screen } from "../safety/screen.ts";
import { type Reservation, release } from "../threads/reservation-repository.ts";
import { isThreadId } from "../threads/thread.ts";
import { type Conversation, commitTurn, readConversation } from "../threads/thread-repository.ts";
import type { ChatRequest, ChatResponse } from "./chat-schemas.ts";
import { claimKey } from "./idempotency.ts";
import { Reply } from "./reply.ts";
import { respond } from "./respond.ts";

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
 * A message in which the screen finds an alert is answered in any case, by the alert's fixed text if by nothing else.
 *
 * @returns the body of success; what was passed to `onText`, put together, is its `response`. An answer that could not
 *   be stored, which only an alert's can be, has no `threadId`
 * @throws ServiceError `not-found` for a thread or a patientId that does not exist; `invalid` when the request names
 *   another patient than the thread's; `unprocessable` and `conflict` as {@link claimKey} says; whatever the model or
 *   the database fails with
 */
export async function chat(request: ChatRequest, context: ChatContext): Promise<ChatResponse> {
  const reply = new Reply(context.onText);
  try {
    return await answerOrFail(request, context, reply);
  } catch (error) {
    const alert = reply.alert ?? screen(request.message);
    if (!alert || error instanceof ServiceError) {
      throw error;
    }
    logError("answered-unstored", describeError(error));
    reply.raise(alert, "screen");
    return { success: true, response: reply.endWithoutModel() };
  }
}

async function answerOrFail(request: ChatRequest, context: ChatContext, reply: Reply): Promise<ChatResponse> {
  if (request.threadId === undefined) {
    return { success: true, response: await respond(request, undefined, budget(context), reply) };
  }
  const conversation = await findConversation(request.threadId);
  annotate({ threadId: request.threadId });
  if (context.idempotencyKey === undefined) {
    return chatInThread(request, conversation, context, reply);
  }
  return chatOnce(request, conversation, context.idempotencyKey, context, reply);
}

/** A chat that is not repeated when its request is: the answer given before is given again. */
async function chatOnce(
  request: ChatRequest,
  conversation: Conversation,
  key: string,
  context: ChatContext,
  reply: Reply,
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
    return await chatInThread(request, current, context, reply, claim.reservation);
  } catch (error) {
    await release(thread, claim.reservation).catch(() => {}); // the lease ends by itself
    throw error;
  }
}

/**
 * 1. The model is asked. Until it has answered, nothing is written.
 * 2. The turn is committed to the thread, unless that is gone by now.
 */
async function chatInThread(
  request: ChatRequest,
  conversation: Conversation,
  context: ChatContext,
  reply: Reply,
  reservation?: Reservation,
): Promise<ChatResponse> {
  const text = await respond(request, conversation, budget(context), reply);
  const giveUpAt = Date.now() + context.remainingMilliseconds() - RESERVE_MILLISECONDS / 2;
  const turn = { question: request.message, answer: text };
  const thread = await commitTurn(conversation.thread, turn, giveUpAt, reservation);
  if (!thread) {
    throw threadGone();
  }
  return { success: true, response: text, threadId: thread.threadId, messageCount: thread.messageCount };
}

/** What the model may take, in milliseconds. */
function budget({ remainingMilliseconds }: ChatContext): number {
  return remainingMilliseconds() - RESERVE_MILLISECONDS;
}

async function findConversation(threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(threadId) : undefined;
  if (!conversation) {
    throw threadGone();
  }
  return conversation;
}

function threadGone(): ServiceError {
  return new ServiceError("not-found", "Thread not found or expired");
}
