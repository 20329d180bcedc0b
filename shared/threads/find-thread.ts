import { ServiceError } from "../errors.ts";
import { auditAccess } from "../patients/audit.ts";
import type { CallerContext } from "../request/request-context.ts";
import { subjectOf, THREAD_GONE, type Thread } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { readThread } from "./thread-repository.ts";

/**
 * Returns the thread of a request's path, and notes it ({@link noteThread}).
 *
 * @throws ServiceError `not-found` if the id is malformed, or the thread does not exist or has expired, swept or not
 */
export async function threadAt(context: CallerContext, id: string): Promise<Thread> {
  const thread = isThreadId(id) ? await readThread(context.caller.tenant, id) : undefined;
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  noteThread(context, thread);
  return thread;
}

/** Notes a thread for the log line, and writes the audit line of its patient. */
export function noteThread({ caller, log }: CallerContext, thread: Thread): void {
  const { patientId } = subjectOf(thread);
  Object.assign(log, { threadId: thread.threadId, patientId: thread.patientId ?? undefined });
  if (patientId !== undefined) {
    auditAccess(caller, patientId);
  }
}
