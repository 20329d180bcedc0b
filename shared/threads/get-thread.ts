import type { ResponseOf } from "../contract/operation.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { threadDocs } from "./docs.ts";
import { threadAt } from "./find-thread.ts";
import { toThreadInfo } from "./thread.ts";

/**
 * `GET /threads/{id}`. Reading a thread does not extend its lifetime.
 *
 * @param withMetadata also returns the metadata given at creation; null if there is none
 * @throws ServiceError `not-found` if the thread does not exist or has expired, swept or not
 */
export async function getThread(
  context: CallerContext,
  id: string,
  withMetadata = false,
): Promise<ResponseOf<typeof threadDocs, "get-thread">> {
  const thread = await threadAt(context, id);
  return {
    success: true,
    thread: { ...toThreadInfo(thread), ...(withMetadata && { metadata: thread.metadata ?? null }) },
  };
}
