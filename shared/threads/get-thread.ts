import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { THREAD_GONE } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { readThread } from "./thread-repository.ts";
import type { ThreadInfo } from "./thread-schemas.ts";

/**
 * `GET /threads/{id}`. Reading a thread does not extend its lifetime.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired, swept or not
 */
export async function getThread({ tenant }: Caller, id: string): Promise<{ success: true; thread: ThreadInfo }> {
  const thread = isThreadId(id) ? await readThread(tenant, id) : undefined;
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  annotate({ threadId: id, patientId: thread.patientId ?? undefined });
  const { patientId, messageCount, lastActivity, createdAt, expiresAt } = thread;
  return { success: true, thread: { threadId: id, patientId, messageCount, lastActivity, createdAt, expiresAt } };
}
