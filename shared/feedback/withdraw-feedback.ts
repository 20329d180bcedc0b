import type { ResponseOf } from "../contract/operation.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { THREAD_GONE } from "../threads/thread.ts";
import { findAnswer } from "./answer.ts";
import type { feedbackDocs } from "./docs.ts";
import { deleteFeedback } from "./feedback-repository.ts";

/**
 * `DELETE /threads/{id}/messages/{messageId}/feedback`: withdraws the feedback on an answer, which then no longer
 * counts. Not an error if there is none.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired, or the message is none of its answers
 */
export async function withdrawFeedback(
  context: CallerContext,
  threadId: string,
  messageId: string,
): Promise<ResponseOf<typeof feedbackDocs, "withdraw-feedback">> {
  const { thread, number } = await findAnswer(context, threadId, messageId);
  if (!(await deleteFeedback(context.caller.tenant, thread, number))) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  return { success: true, message: "Feedback withdrawn" };
}
