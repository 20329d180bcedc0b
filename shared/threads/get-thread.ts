import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request-context.ts";
import { THREAD_GONE, toThreadInfo } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { readThread } from "./thread-repository.ts";
import type { ThreadInfo } from "./thread-responses.ts";

/**
 * `GET /threads/{id}`. Reading a thread does not extend its lifetime.
 *
 * @param withMetadata also returns the metadata given at creation; null if there is none
 * @throws ServiceError `not-found` if the thread does not exist or has expired, swept or not
 */
export async function getThread(
  { caller, log }: CallerContext,
  id: string,
  withMetadata = false,
): Promise<{ success: true; thread: ThreadInfo & { metadata?: Record<string, unknown> | null } }> {
  const thread = isThreadId(id) ? await readThread(caller.tenant, id) : undefined;
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  Object.assign(log, { threadId: id, patientId: thread.patientId ?? undefined });
  return {
    success: true,
    thread: { ...toThreadInfo(thread), ...(withMetadata && { metadata: thread.metadata ?? null }) },
  };
}
