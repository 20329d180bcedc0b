import { config } from "../config.ts";
import type { Result } from "../contract/endpoint.ts";
import { ServiceError } from "../errors.ts";
import { bodyHash, KEY_REUSED } from "../idempotency/idempotency.ts";
import type { CallerContext } from "../request/request-context.ts";
import { threadAt } from "../threads/find-thread.ts";
import type { KeyState } from "../threads/idempotency-record-repository.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { answerPlace, messageId } from "../threads/message-id.ts";
import { type PersonMessage, THREAD_GONE, type Thread, turnCount, visibleLifetime } from "../threads/thread.ts";
import type { ThreadMessage } from "../threads/thread-responses.ts";
import { commitTurn, readTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { NOT_HELD } from "./endpoints.ts";
import type { AddMessageRequest } from "./handoff-requests.ts";
import type { AddMessageResponse } from "./handoff-responses.ts";

/**
 * `POST /threads/{id}/messages`: adds what the person who has taken over writes. It is a single message of the thread,
 * and resets the expiry as a chat does.
 *
 * @param key the idempotency key, as a hash; a retry gets the response to the first request with it
 * @throws ServiceError `not-found` if the thread does not exist or has expired; `conflict` if no person has taken over;
 *   `unprocessable` if the key was used with another body; the database's errors
 */
export async function addMessage(
  context: CallerContext,
  id: string,
  body: AddMessageRequest,
  key?: string,
): Promise<Result<AddMessageResponse>> {
  const { tenant } = context.caller;
  const thread = await threadAt(context, id);
  const turn = { author: body.author, content: body.content };
  const request = key === undefined ? undefined : { key, bodyHash: bodyHash(body) };
  const giveUpAt = context.deadline - COMMIT_RESERVE_MILLISECONDS / 2;
  const outcome = await commitTurn(tenant, thread, turn, giveUpAt, { request });
  switch (outcome.kind) {
    case "committed": {
      await keepCounted(tenant, thread);
      const { messageCount, lastActivity } = outcome.thread;
      return { body: responseOf(thread, turnCount(outcome.thread) - 1, turn, messageCount, lastActivity) };
    }
    case "key-used":
      return replay(context, thread, outcome.state, bodyHash(body));
    case "not-held":
      throw new ServiceError("conflict", NOT_HELD);
    default:
      throw new ServiceError("not-found", THREAD_GONE);
  }
}

async function replay(context: CallerContext, thread: Thread, state: KeyState, hash: string) {
  if (state.kind !== "answered" || state.bodyHash !== hash) {
    throw new ServiceError("unprocessable", KEY_REUSED);
  }
  const { turnNumber } = state;
  const turn = await readTurn(context.caller.tenant, thread, turnNumber);
  if (turn?.author === undefined) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  return { body: responseOf(thread, turnNumber, turn, turn.messageCount, turn.at), replayed: true };
}

function responseOf(
  thread: Thread,
  turnNumber: number,
  { author, content }: PersonMessage,
  messageCount: number,
  createdAt: string,
): AddMessageResponse {
  const id = messageId(thread, answerPlace(turnNumber));
  const message: ThreadMessage = { id, role: "person", author, content, createdAt, generatedBy: null, model: null };
  const { expiresAt } = visibleLifetime(Date.parse(createdAt), config.clock);
  return { success: true, message, messageCount, expiresAt };
}
