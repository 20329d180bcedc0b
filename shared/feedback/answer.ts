import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { threadAt } from "../threads/find-thread.ts";
import { answerPlace, placeOf } from "../threads/message-id.ts";
import type { Exchange, Thread } from "../threads/thread.ts";
import { readTurn } from "../threads/turn-repository.ts";

/** The `error` of a 404 for a message that is none of the assistant's. */
export const NO_ANSWER = { error: "The thread has no answer with this id", code: "answer-not-found" };

/**
 * Finds an answer by the id of its message.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired, or the message is none of its answers
 */
export async function findAnswer(
  context: CallerContext,
  threadId: string,
  messageId: string,
): Promise<{ thread: Thread; number: number; turn: Exchange }> {
  const thread = await threadAt(context, threadId);
  const place = placeOf(messageId, thread) ?? 0;
  const number = Math.floor(place / 2);
  const turn = place === answerPlace(number) ? await readTurn(context.caller.tenant, thread, number) : undefined;
  if (!turn || turn.author !== undefined) {
    throw new ServiceError("not-found", NO_ANSWER);
  }
  return { thread, number, turn };
}
