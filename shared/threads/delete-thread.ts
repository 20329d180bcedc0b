import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request-context.ts";
import { isThreadId } from "./thread-id.ts";
import { removeThread } from "./thread-removal-repository.ts";

/**
 * `DELETE /threads/{id}`: permanently deletes the thread and its messages.
 *
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or was already deleted
 */
export async function deleteThread(
  { caller, log }: CallerContext,
  id: string,
): Promise<{ success: true; message: "Thread deleted successfully" }> {
  if (!isThreadId(id) || !(await removeThread(caller.tenant, id))) {
    throw new ServiceError("not-found", "Thread not found");
  }
  log.threadId = id;
  return { success: true, message: "Thread deleted successfully" };
}
