import { invalidCursor } from "../contract/page.ts";
import { setAiMark } from "../disclosure/ai-mark.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import { threadAt } from "./find-thread.ts";
import { answerPlace, messageId, placeOf, questionPlace } from "./message-id.ts";
import { messageSafety } from "./message-safety.ts";
import { THREAD_GONE, type Thread, turnCount } from "./thread.ts";
import { readTurns, type StoredMessage } from "./thread-repository.ts";
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
 * @param options `withSafety`: also returns what the safety layer found in the messages, with the answers to them
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or is deleted during the read; `invalid`
 *   for a cursor of another list
 */
export async function listMessages(
  context: CallerContext,
  id: string,
  { limit, before }: { limit: number; before: string | undefined },
  { withSafety = false } = {},
): Promise<{ success: true } & MessagePage> {
  const thread = await threadAt(context, id);
  const page = await readMessages(context.caller.tenant, thread, limit, before);
  if (!page) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  markMessages(context, page.messages);
  const messages = withSafety ? page.messages : page.messages.map(({ safety: _, ...message }) => message);
  return { success: true, ...page, messages };
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
  const end = before === undefined ? 2 * turnCount(thread) : cursorPlace(before, thread);
  // A person's message is a turn with an empty first place.
  const start = Math.max(0, end - (thread.personMessages ? 2 * limit : limit));
  if (end === 0) {
    return { messages: [], hasMore: false };
  }
  const turns = await readTurns(tenant, thread, Math.floor(start / 2), Math.floor((end - 1) / 2));
  const found = turns
    ?.flatMap((turn) => messagesOf(thread, turn))
    .filter(({ place }) => place >= start && place < end)
    .map(({ message }) => message);
  const messages = found?.slice(0, limit);
  // The first place of a thread with an opening question is empty, too.
  const hasMore = start > 1 || (start === 1 && turns?.at(-1)?.question !== undefined) || (found?.length ?? 0) > limit;
  return messages && { messages, hasMore, ...(hasMore && { next: messages.at(-1)?.id }) };
}

/** Adds the header that says that a model wrote some of the messages, if any. */
export function markMessages(context: CallerContext, messages: ThreadMessage[]): void {
  const generated = messages.filter(({ generatedBy }) => generatedBy === "ai");
  setAiMark(
    context,
    generated.map(({ model }) => model),
  );
}

/** Returns the messages of a turn with their places, the newest first. */
function messagesOf(thread: Thread, turn: StoredMessage) {
  const { number, question, answer, author, at, origin } = turn;
  const placed = (place: number, message: Omit<ThreadMessage, "id" | "createdAt">) => {
    return { place, message: { id: messageId(thread, place), ...message, createdAt: at } };
  };
  const generatedBy = origin?.model === null ? ("service" as const) : ("ai" as const);
  const model = origin?.model ?? null;
  return [
    author === undefined
      ? placed(answerPlace(number), {
          role: "assistant",
          content: answer,
          generatedBy,
          model,
          safety: messageSafety(turn),
        })
      : placed(answerPlace(number), { role: "person", author, content: answer, generatedBy: null, model: null }),
    ...(question === undefined
      ? []
      : [placed(questionPlace(number), { role: "user", content: question, generatedBy: null, model: null })]),
  ];
}

function cursorPlace(cursor: string, thread: Thread): number {
  const place = placeOf(cursor, thread);
  if (place === undefined) {
    throw invalidCursor();
  }
  return place;
}
