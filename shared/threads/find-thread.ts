import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { THREAD_GONE, type Thread } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { readThread } from "./thread-repository.ts";

/**
 * Returns the thread of a request's path, and notes it for the log line.
 *
 * @throws ServiceError `not-found` if the id is malformed, or the thread does not exist or has expired, swept or not
 */
export async function threadAt({ caller, log }: CallerContext, id: string): Promise<Thread> {
  const thread = isThreadId(id) ? await readThread(caller.tenant, id) : undefined;
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  Object.assign(log, { threadId: id, patientId: thread.patientId ?? undefined });
  return thread;
}
