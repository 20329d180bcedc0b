import { clinicFor } from "../profile/load-clinic.ts";
import type { CallerContext } from "../request/request-context.ts";
import { type AnswerPart, NOTHING_FOUND, safetyOf, textOf } from "../threads/answer-parts.ts";
import { answerPlace, messageId, questionPlace } from "../threads/message-id.ts";
import { type Exchange, type Thread, turnCount } from "../threads/thread.ts";
import { type Answered, answerMessage } from "./answer-message.ts";
import { asksFor, type ChatRequest, safetyFor } from "./chat-request.ts";
import type { ChatResponse } from "./chat-response.ts";
import { citationsOf, loadSources, withCitations } from "./clinic-sources.ts";
import { commit } from "./commit.ts";
import { type Finished, finish, finishOnceHeld, finishOnceStopped } from "./finish.ts";
import { noteHelp } from "./help.ts";
import { type Replay, releaseKey } from "./idempotency.ts";
import { load } from "./load.ts";
import { type ReplyListener, replay } from "./reply.ts";
import { requireReply } from "./require-reply.ts";
import { readAhead, screenMessage } from "./screen-message.ts";

/** The inputs of a chat besides the request body. */
export interface ChatOptions {
  /** A hash. Without a thread, answers are not stored, so the key has no effect. */
  idempotencyKey?: string | undefined;
  /** Receives the reply of a stream as it is written. */
  listener?: ReplyListener | undefined;
}

/**
 * `POST /chat`: answers a message, using the patient's record and the thread's last messages.
 *
 * What a failure of the model or the database, or an exceeded quota, means is decided by {@link requireReply}.
 *
 * @returns the body of success; its `response` is exactly the text that the listener received. A response that could
 *   not be stored, which is returned only if someone may be in danger, has no `threadId`
 * @throws ServiceError as in {@link load} and {@link commit}. Also the failures that {@link requireReply} passes on.
 *   Then `context.help` says whom to call
 */
export async function chat(
  context: CallerContext,
  request: ChatRequest,
  options: ChatOptions = {},
): Promise<ChatResponse> {
  try {
    return await answer(context, request, options);
  } catch (failure) {
    noteHelp(context, request, failure, await clinicFor(context));
    throw failure;
  }
}

async function answer(
  context: CallerContext,
  request: ChatRequest,
  { idempotencyKey, listener }: ChatOptions,
): Promise<ChatResponse> {
  const sources = loadSources(context);
  const read = readAhead(request.message);
  const loaded = await load(context, request, idempotencyKey);
  if (loaded.kind === "replay") {
    return replayed(context, request, loaded, listener);
  }
  let thread: Thread | undefined;
  try {
    const screened = screenMessage(context, loaded, await read, await sources, listener);
    const answered = await answerMessage(context, screened);
    const stored = await store(context, answered, await finish(context, answered));
    thread = stored.thread;
    context.models = modelsOf(stored.turn); // none if a person has taken over; a stream has been marked before
    const shown = withCitations(answered.reply.asRead(stored.turn.parts), answered.passages);
    return responseOf(request, stored.turn, shown, thread, listener);
  } finally {
    if (!thread) {
      await releaseKey(context, loaded);
    }
  }
}

/**
 * Commits a turn; if a person has taken over meanwhile, the one that says so instead; if it was stopped, as a cut one.
 *
 * @returns the turn, and the thread after it: undefined without a thread, or if the turn of somebody in danger, who gets
 *   the reply all the same, could not be stored
 */
async function store(
  context: CallerContext,
  answered: Answered,
  finished: Finished,
): Promise<{ turn: Exchange; thread: Thread | undefined }> {
  let next = finished;
  let thread = answered.conversation?.thread;
  try {
    for (;;) {
      context.log.stopped = next.stopped ? true : undefined;
      const committed = await commit(context, answered, thread, next);
      switch (committed.kind) {
        case "committed":
          return { turn: next.turn, thread: committed.thread };
        case "held":
          thread = committed.thread;
          next = finishOnceHeld(answered, thread.hold?.by);
          break;
        case "stopped":
          next = finishOnceStopped(answered, next);
      }
    }
  } catch (error) {
    requireReply(error, answered.inDanger, "answered-unstored");
    return { turn: finished.turn, thread: undefined };
  }
}

/** Returns the stored answer to an earlier request with the same key, as it was written. */
function replayed(
  context: CallerContext,
  request: ChatRequest,
  { turn, thread }: Replay,
  listener: ReplyListener | undefined,
): ChatResponse {
  context.replayed = true;
  context.models = modelsOf(turn);
  if (listener) {
    replay(turn.parts, turn.findings ?? NOTHING_FOUND, listener);
  }
  return responseOf(request, turn, turn.parts, thread, listener);
}

/**
 * Returns the body of success.
 *
 * @param parts what the user has read: in a stream, perhaps more than the turn has
 * @param thread after the commit; undefined if nothing was stored
 */
function responseOf(
  request: ChatRequest,
  { findings = NOTHING_FOUND, handoff: reason, parts: stored }: Exchange,
  parts: readonly AnswerPart[],
  thread: Thread | undefined,
  listener: ReplyListener | undefined,
): ChatResponse {
  const handoff = reason === undefined ? null : { reason };
  if (handoff) {
    listener?.onHandoff?.(handoff);
  }
  const citations = asksFor("sources", request) ? citationsOf(stored) : undefined;
  const shown = citations ? parts.filter(({ kind }) => kind !== "sources") : parts;
  return {
    success: true,
    response: textOf(shown),
    threadId: thread?.threadId,
    messageCount: thread?.messageCount,
    parts: asksFor("parts", request) ? [...shown] : undefined,
    citations,
    safety: safetyFor(request, safetyOf(findings, stored)),
    ids: thread && asksFor("ids", request) ? idsOf(thread) : undefined,
    handoff: asksFor("handoff", request) ? handoff : undefined,
  };
}

/** Returns the ids of the last turn's messages. */
function idsOf(thread: Thread): ChatResponse["ids"] {
  const turn = turnCount(thread) - 1;
  return { user: messageId(thread, questionPlace(turn)), assistant: messageId(thread, answerPlace(turn)) };
}

function modelsOf({ origin: { model } }: Exchange): string[] {
  return model === null ? [] : [model];
}
