import type { CallerContext } from "../request/request-context.ts";
import { safetyOf, textOf } from "../threads/answer-parts.ts";
import { answerPlace, messageId, questionPlace } from "../threads/message-id.ts";
import { type Exchange, type Thread, turnCount } from "../threads/thread.ts";
import type { AnswerPart } from "../threads/thread-responses.ts";
import { asksFor, type ChatRequest, safetyFor } from "./chat-request.ts";
import type { ChatResponse } from "./chat-response.ts";
import { citationsOf, loadSources, withCitations } from "./clinic-sources.ts";
import { commit } from "./commit.ts";
import { finish, finishOnceHeld } from "./finish.ts";
import { load, releaseKey } from "./load.ts";
import { NOTHING_FOUND, type ReplyListener, replay } from "./reply.ts";
import { requireReply } from "./require-reply.ts";
import { screenAndAsk } from "./screen-and-ask.ts";

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
 * @throws ServiceError as in {@link load} and {@link commit}. Also the failures that {@link requireReply} passes on
 */
export async function chat(
  context: CallerContext,
  request: ChatRequest,
  { idempotencyKey, listener }: ChatOptions = {},
): Promise<ChatResponse> {
  const sources = loadSources(context);
  const loaded = await load(context, request, idempotencyKey);
  if (loaded.kind === "replay") {
    const { turn, thread } = loaded;
    context.replayed = true;
    context.models = modelsOf(turn);
    if (listener) {
      replay(turn.parts, turn.findings ?? NOTHING_FOUND, listener);
    }
    return responseOf(request, turn, turn.parts, thread, listener);
  }
  let thread: Thread | undefined;
  try {
    const draft = await screenAndAsk(context, request, { ...loaded, sources: await sources }, listener);
    const outcome = await finish(context, request, loaded, draft);
    const onceHeld = ({ hold }: Thread) => finishOnceHeld(request, draft, hold?.by);
    const committed = await commit(context, request, loaded, outcome, onceHeld).catch((error) =>
      requireReply(error, draft.inDanger, "answered-unstored"),
    );
    thread = committed?.thread;
    const { turn } = committed ?? outcome;
    const { reply } = draft;
    if (!reply.streams) {
      context.models = modelsOf(turn); // none if a person has taken over
    }
    return responseOf(
      request,
      turn,
      reply.streams ? withCitations(reply.parts, draft.passages) : turn.parts,
      thread,
      listener,
    );
  } finally {
    if (!thread) {
      await releaseKey(context, loaded);
    }
  }
}

/**
 * Returns the body of success.
 *
 * @param parts what the user was told: in a stream, perhaps more than the turn has
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
  const told = citations ? parts.filter(({ kind }) => kind !== "sources") : parts;
  return {
    success: true,
    response: textOf(told),
    threadId: thread?.threadId,
    messageCount: thread?.messageCount,
    parts: asksFor("parts", request) ? [...told] : undefined,
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
