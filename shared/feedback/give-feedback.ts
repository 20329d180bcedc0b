import type { ResponseOf } from "../contract/operation.ts";
import { ServiceError } from "../errors.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { CallerContext } from "../request/request-context.ts";
import { subjectOf, THREAD_GONE } from "../threads/thread.ts";
import { findAnswer } from "./answer.ts";
import { counterOf } from "./counter.ts";
import type { feedbackDocs } from "./docs.ts";
import { type FeedbackRequest, REASONS } from "./feedback.ts";
import { storeFeedback } from "./feedback-repository.ts";

/**
 * `PUT /threads/{id}/messages/{messageId}/feedback`: stores feedback on an answer, in place of earlier feedback on it.
 * It does not extend the thread's lifetime.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired, or the message is none of its answers
 */
export async function giveFeedback(
  context: CallerContext,
  threadId: string,
  messageId: string,
  { rating, reasons = [], comment }: FeedbackRequest,
): Promise<ResponseOf<typeof feedbackDocs, "give-feedback">> {
  const { tenant } = context.caller;
  const { thread, number, turn } = await findAnswer(context, threadId, messageId);
  const given = {
    rating,
    reasons: REASONS.filter((reason) => reasons.includes(reason)),
    comment: comment?.trim() || null,
  };
  const counter = counterOf(turn, rating, Date.now());
  const { expiresAt } = thread;
  const event = { type: "feedback.created", ...subjectOf(thread), messageId, expiresAt } as const;
  const outcome = await storeFeedback(tenant, thread, number, given, counter, event);
  if (outcome.kind === "thread-gone") {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  if (outcome.isNew) {
    const { model, instructions } = counter;
    countWithoutRequestId("BadFeedback", rating === "bad" ? 1 : 0, {
      model: model ?? "none",
      instructions: instructions,
    });
  }
  return { success: true, feedback: outcome.entry };
}
