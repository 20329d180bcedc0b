import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { isThreadId } from "./thread-id.ts";
import { removeThread } from "./thread-removal-repository.ts";

/**
 * `DELETE /threads/{id}`: removes the thread and its messages for good.
 *
 * @throws ServiceError `not-found` when the thread does not exist, has expired, or was deleted before
 */
export async function deleteThread(id: string): Promise<{ success: true; message: "Thread deleted successfully" }> {
  if (!isThreadId(id) || !(await removeThread(id, "active"))) {
    throw new ServiceError("not-found", "Thread not found");
  }
  annotate({ threadId: id });
  return { success: true, message: "Thread deleted successfully" };
}
