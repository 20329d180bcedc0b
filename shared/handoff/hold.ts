import type { Preconditions } from "../contract/preconditions.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { noteThread } from "../threads/find-thread.ts";
import { holdThread, returnThread } from "../threads/handoff-repository.ts";
import { THREAD_GONE, type Thread } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { HELD } from "./endpoints.ts";
import type { HoldThreadRequest } from "./handoff-requests.ts";
import type { HoldThreadResponse, ReturnThreadResponse } from "./handoff-responses.ts";

/**
 * `PUT /threads/{id}/handoff`: puts a thread into the hands of a person. From then on, no answer of the model is added
 * to it. Repeating the call changes nothing; another `by` replaces the person, unless the request has
 * `If-None-Match: *`.
 *
 * @throws ServiceError `not-found` if the thread does not exist or has expired; `precondition-failed` if it is not to
 *   be taken from another person
 */
export async function hold(
  context: CallerContext,
  id: string,
  { by = null }: { by?: HoldThreadRequest["by"] | null },
  { ifNoneMatch }: Preconditions = {},
): Promise<HoldThreadResponse> {
  const unlessHeld = ifNoneMatch?.trim() === "*";
  const thread = existing(
    context,
    isThreadId(id) ? await holdThread(context.caller.tenant, id, by, unlessHeld) : undefined,
  );
  if (unlessHeld && thread.hold.by !== by) {
    throw new ServiceError("precondition-failed", HELD);
  }
  return { success: true, hold: thread.hold, expiresAt: thread.expiresAt };
}

/**
 * `DELETE /threads/{id}/handoff`: gives a thread back to the model. Repeating the call changes nothing.
 *
 * @throws ServiceError as {@link hold}
 */
export async function giveBack(context: CallerContext, id: string): Promise<ReturnThreadResponse> {
  const thread = existing(context, isThreadId(id) ? await returnThread(context.caller.tenant, id) : undefined);
  return { success: true, hold: null, expiresAt: thread.expiresAt };
}

function existing<Found extends Thread>(context: CallerContext, thread: Found | undefined): Found {
  if (!thread) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  noteThread(context, thread);
  return thread;
}
