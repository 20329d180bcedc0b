import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { isThreadId } from "./thread-id.ts";
import { removeThread } from "./thread-removal-repository.ts";

/**
 * `DELETE /threads/{id}`: permanently deletes the thread and its messages.
 *
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or was already deleted
 */
export async function deleteThread(
  { tenant }: Caller,
  id: string,
): Promise<{ success: true; message: "Thread deleted successfully" }> {
  if (!isThreadId(id) || !(await removeThread(tenant, id, "active"))) {
    throw new ServiceError("not-found", "Thread not found");
  }
  annotate({ threadId: id });
  return { success: true, message: "Thread deleted successfully" };
}
