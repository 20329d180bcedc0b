import type { ResponseOf } from "../contract/operation.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { threadDocs } from "./docs.ts";
import { TURN_STORED } from "./endpoints.ts";
import { threadAt } from "./find-thread.ts";
import { stop } from "./idempotency-record-repository.ts";
import { THREAD_GONE } from "./thread.ts";

/**
 * `DELETE /threads/{id}/turns/{key}`: stops a turn whose answer is not stored yet. The chat notices it within a second,
 * ends the model's request, and stores the turn as a cut one.
 *
 * @param key that of the chat, as a hash
 * @throws ServiceError `not-found` if the thread does not exist or has expired; `conflict` if the answer is stored
 */
export async function stopTurn(
  context: CallerContext,
  id: string,
  key: string,
): Promise<ResponseOf<typeof threadDocs, "stop-turn">> {
  const outcome = await stop(context.caller.tenant, await threadAt(context, id), key);
  switch (outcome) {
    case "thread-gone":
      throw new ServiceError("not-found", THREAD_GONE);
    case "answered":
      throw new ServiceError("conflict", TURN_STORED);
    default:
      return { success: true, turn: outcome };
  }
}
