import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request-context.ts";
import { threadAt } from "../threads/find-thread.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { answerPlace, messageId } from "../threads/message-id.ts";
import { THREAD_GONE, turnCount } from "../threads/thread.ts";
import type { ThreadMessage } from "../threads/thread-responses.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { NOT_HELD } from "./endpoints.ts";
import type { AddMessageRequest } from "./handoff-requests.ts";
import type { AddMessageResponse } from "./handoff-responses.ts";

/**
 * `POST /threads/{id}/messages`: adds what the person who has taken over writes. It is a single message of the thread, and
 * resets the expiry as a chat does.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired; `conflict` if no person has taken over; the
 *   database's errors
 */
export async function addMessage(
  context: CallerContext,
  id: string,
  { content, author }: AddMessageRequest,
): Promise<AddMessageResponse> {
  const {
    caller: { tenant },
    deadline,
  } = context;
  const thread = await threadAt(context, id);
  const turn = { question: undefined, answer: content, author };
  const [outcome] = await Promise.all([
    commitTurn(tenant, thread, turn, deadline - COMMIT_RESERVE_MILLISECONDS / 2),
    keepCounted(tenant, thread),
  ]);
  if (outcome.kind === "not-held") {
    throw new ServiceError("conflict", NOT_HELD);
  }
  if (outcome.kind !== "committed") {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  const { messageCount, expiresAt, lastActivity } = outcome.thread;
  const message: ThreadMessage = {
    id: messageId(thread, answerPlace(turnCount(outcome.thread) - 1)),
    ...{ role: "person", author, content, createdAt: lastActivity, generatedBy: null, model: null },
  };
  return { success: true, message, messageCount, expiresAt };
}
