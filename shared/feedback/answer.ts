import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request-context.ts";
import { answerPlace, placeOf } from "../threads/message-id.ts";
import { THREAD_GONE, type Thread, type Turn } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { readThread } from "../threads/thread-repository.ts";
import { readTurn } from "../threads/turn-repository.ts";

/** The `error` of a 404 for a message that is none of the assistant's. */
export const NO_ANSWER = { error: "The thread has no answer with this id", code: "answer-not-found" };

/**
 * Finds an answer by the id of its message.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired, or the message is none of its answers
 */
export async function findAnswer(
  { caller: { tenant }, log }: CallerContext,
  threadId: string,
  messageId: string,
): Promise<{ thread: Thread; number: number; turn: Turn }> {
  const thread = isThreadId(threadId) ? await readThread(tenant, threadId) : undefined;
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  Object.assign(log, { threadId, patientId: thread.patientId ?? undefined });
  const place = placeOf(messageId, thread) ?? 0;
  const number = Math.floor(place / 2);
  const turn = place === answerPlace(number) ? await readTurn(tenant, thread, number) : undefined;
  if (!turn || turn.author !== undefined) {
    throw new ServiceError("not-found", NO_ANSWER);
  }
  return { thread, number, turn };
}
