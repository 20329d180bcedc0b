import { ServiceError } from "../errors.ts";
import { invalidCursor } from "../page.ts";
import type { CallerContext } from "../request-context.ts";
import type { Tenant } from "../tenant.ts";
import { THREAD_GONE, type Thread } from "./thread.ts";
import { isThreadId } from "./thread-id.ts";
import { readThread, readTurns, type StoredMessage } from "./thread-repository.ts";
import type { ThreadMessage } from "./thread-responses.ts";

/** A part of a thread's messages. */
export interface MessagePage {
  /** Newest first. */
  messages: ThreadMessage[];
  hasMore: boolean;
  /** The cursor of the next page, if there is more. */
  next?: string | undefined;
}

/**
 * `GET /threads/{id}/messages`: returns the messages of a thread, newest first. Reading them does not extend the
 * thread's lifetime. The request behind an opening question is not a message.
 *
 * A message's id contains its thread and position, so it is also the cursor: messages are only ever appended, so a page
 * is the same whenever it is read.
 *
 * @param page `before` is the id of a message
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or is deleted during the read; `invalid`
 *   for a cursor of another list
 */
export async function listMessages(
  { caller, log }: CallerContext,
  id: string,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<{ success: true } & MessagePage> {
  const thread = isThreadId(id) ? await readThread(caller.tenant, id) : undefined;
  const page = thread && (await readMessages(caller.tenant, thread, limit, before));
  if (!page) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  Object.assign(log, { threadId: id, patientId: thread.patientId ?? undefined });
  return { success: true, ...page };
}

/**
 * Reads messages of a thread.
 *
 * @param limit the maximum number; all messages if infinite
 * @returns undefined if the thread was deleted in the meantime
 * @throws ServiceError `invalid` for a cursor of another list
 */
export async function readMessages(
  tenant: Tenant,
  thread: Thread,
  limit: number,
  before?: string | undefined,
): Promise<MessagePage | undefined> {
  const end = before === undefined ? thread.messageCount : placeOf(before, thread);
  const start = Math.max(0, end - limit);
  if (end === 0) {
    return { messages: [], hasMore: false };
  }
  const turns = await readTurns(tenant, thread, Math.floor(start / 2), Math.floor((end - 1) / 2));
  const messages = turns
    ?.flatMap((turn) => messagesOf(thread, turn))
    .filter(({ id }) => placeOf(id, thread) >= start && placeOf(id, thread) < end);
  // The first position of a thread with an opening question is empty.
  const hasMore = start > 1 || (start === 1 && turns?.at(-1)?.question !== undefined);
  return messages && { messages, hasMore, ...(hasMore && { next: messages.at(-1)?.id }) };
}

function messagesOf(thread: Thread, { number, question, answer, at }: StoredMessage): ThreadMessage[] {
  return [
    { id: idOf(thread, 2 * number + 1), role: "assistant", content: answer, createdAt: at },
    ...(question === undefined
      ? []
      : [{ id: idOf(thread, 2 * number), role: "user" as const, content: question, createdAt: at }]),
  ];
}

function idOf({ generation }: Thread, place: number): string {
  return `${generation}-${place}`;
}

function placeOf(id: string, { generation, messageCount }: Thread): number {
  const [, ofGeneration, place] = /^(\w+)-(\d{1,9})$/.exec(id) ?? [];
  if (ofGeneration !== generation || Number(place) > messageCount) {
    throw invalidCursor();
  }
  return Number(place);
}
