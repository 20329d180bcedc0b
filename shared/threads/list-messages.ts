import type { Findings } from "../../packages/safety/findings.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { invalidCursor } from "../contract/page.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import { type AnswerPart, ofKind, textOf, withoutEvidence } from "./answer-parts.ts";
import type { threadDocs } from "./docs.ts";
import type { MESSAGE_FIELDS } from "./endpoints.ts";
import { threadAt } from "./find-thread.ts";
import { answerPlace, messageId, placeOf, questionPlace } from "./message-id.ts";
import { THREAD_GONE, type Thread, type Turn, turnCount } from "./thread.ts";
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
 * @param fields additional fields of the answers
 * @throws ServiceError `not-found` if the thread does not exist, has expired, or is deleted during the read; `invalid`
 *   for a cursor of another list
 */
export async function listMessages(
  context: CallerContext,
  id: string,
  { limit, before }: { limit: number; before: string | undefined },
  fields: ReadonlySet<(typeof MESSAGE_FIELDS)[number]> = new Set(),
): Promise<ResponseOf<typeof threadDocs, "list-messages">> {
  const thread = await threadAt(context, id);
  const page = await readMessages(context.caller.tenant, thread, limit, before);
  if (!page) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  noteModels(context, page.messages);
  const messages = page.messages.map(({ parts, safety, ...message }) => ({
    ...message,
    parts: fields.has("parts") ? parts : undefined,
    safety: fields.has("safety") ? safety : undefined,
  }));
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
  const hasMore = start > 1 || (start === 1 && hasQuestion(turns?.at(-1))) || (found?.length ?? 0) > limit;
  return messages && { messages, hasMore, ...(hasMore && { next: messages.at(-1)?.id }) };
}

/** Notes the models that wrote some of the messages. */
export function noteModels(context: CallerContext, messages: ThreadMessage[]): void {
  context.models = messages.flatMap(({ model }) => model ?? []);
}

/** Returns the messages of a turn with their places, the newest first. */
function messagesOf(thread: Thread, turn: StoredMessage) {
  const placed = (place: number, message: Omit<ThreadMessage, "id" | "createdAt">) => {
    return { place, message: { id: messageId(thread, place), ...message, createdAt: turn.at } };
  };
  const answer = placed(answerPlace(turn.number), answerOf(turn));
  const question = turn.author === undefined ? turn.question : undefined;
  if (question === undefined) {
    return [answer];
  }
  return [
    answer,
    placed(questionPlace(turn.number), { role: "user", content: question, generatedBy: null, model: null }),
  ];
}

function answerOf(turn: Turn): Omit<ThreadMessage, "id" | "createdAt"> {
  if (turn.author !== undefined) {
    return { role: "person", author: turn.author, content: turn.content, generatedBy: null, model: null };
  }
  const { parts, origin, findings } = turn;
  return {
    role: "assistant",
    content: textOf(parts),
    generatedBy: origin.model === null ? "service" : "ai",
    model: origin.model,
    parts: [...parts],
    safety: findings && messageSafety(findings, parts),
  };
}

/** Returns what was found in a message with the texts about it in the answer. */
function messageSafety(findings: Findings, parts: readonly AnswerPart[]): ThreadMessage["safety"] {
  return {
    ...withoutEvidence(findings),
    alertText: ofKind("alert", parts).at(-1)?.text ?? null,
    cautions: ofKind("caution", parts).map(({ basis, drug, because, said, text }) => ({
      kind: basis,
      drug,
      because,
      said,
      text,
    })),
  };
}

function hasQuestion(turn: Turn | undefined): boolean {
  return turn?.author === undefined && turn?.question !== undefined;
}

function cursorPlace(cursor: string, thread: Thread): number {
  const place = placeOf(cursor, thread);
  if (place === undefined) {
    throw invalidCursor();
  }
  return place;
}
