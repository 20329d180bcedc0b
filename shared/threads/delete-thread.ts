import type { ResponseOf } from "../contract/operation.ts";
import { checkWrite, type Preconditions } from "../contract/preconditions.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { threadDocs } from "./docs.ts";
import { NO_THREAD } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { removeThread } from "./thread-removal-repository.ts";

/**
 * `DELETE /threads/{id}`: permanently deletes the thread and its messages.
 *
 * @param preconditions a thread has no entity tag, since it changes only by messages, which are never replaced
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or was already deleted;
 *   `precondition-failed`
 */
export async function deleteThread(
  { caller, log }: CallerContext,
  id: string,
  preconditions: Preconditions = {},
): Promise<ResponseOf<typeof threadDocs, "delete-thread">> {
  checkWrite(preconditions);
  if (!isThreadId(id) || !(await removeThread(caller.tenant, id))) {
    throw new ServiceError("not-found", NO_THREAD);
  }
  log.threadId = id;
  return { success: true, message: "Thread deleted successfully" };
}
