import type { ResponseOf } from "../contract/operation.ts";
import { invalidField } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { eventDocs } from "./docs.ts";
import { EVENT_DAYS, eventIdAt, isEventId, NO_EVENT_CURSOR, payloadOf, SETTLED_MILLISECONDS } from "./event.ts";
import { readEvents } from "./event-repository.ts";

/**
 * `GET /events`: lists a tenant's events, the oldest first, for {@link EVENT_DAYS} days.
 *
 * @param page `after` is the ID of an event
 * @returns `next` is the cursor to continue with, now or later; without events, it is the one that was given
 * @throws ServiceError `invalid` for another cursor
 */
export async function listEvents(
  { caller: { tenant } }: CallerContext,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<ResponseOf<typeof eventDocs, "list-events">> {
  if (after !== undefined && !isEventId(after)) {
    throw invalidField("after", NO_EVENT_CURSOR);
  }
  const now = Date.now();
  const oldest = eventIdAt(now - EVENT_DAYS * 24 * 60 * 60 * 1000);
  const from = after !== undefined && after > oldest ? after : oldest;
  const settled = eventIdAt(now - SETTLED_MILLISECONDS);
  // A cursor may be newer than that, for example the ID of a message that a webhook has just got.
  const found = from < settled ? await readEvents(tenant, from, settled, limit + 1) : [];
  const events = found.slice(0, limit).map((event) => ({ id: event.id, ...payloadOf(event) }));
  return { success: true, events, hasMore: found.length > limit, next: events.at(-1)?.id ?? after };
}
