import type { CallerContext } from "../request/request-context.ts";
import { threadAt } from "../threads/find-thread.ts";
import type { Thread } from "../threads/thread.ts";
import type { GetHandoffResponse } from "./handoff-responses.ts";

/**
 * `GET /threads/{id}/handoff`: returns who has taken over a thread and, if nobody has, the user's open request for a
 * person. Reading it does not extend the thread's lifetime.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired
 */
export async function getHandoff(context: CallerContext, id: string): Promise<GetHandoffResponse> {
  const thread = await threadAt(context, id);
  return { success: true, hold: thread.hold ?? null, request: openRequest(thread), expiresAt: thread.expiresAt };
}

function openRequest({ requestReason: reason, requestedAt, answerBy, promised = false }: Thread) {
  return reason && requestedAt && answerBy ? { reason, requestedAt, answerBy, told: promised } : null;
}
