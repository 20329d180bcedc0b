import { THREAD_SK, turnKey } from "../dynamo/keys.ts";
import type { Tenant } from "../tenant.ts";
import { type AnswerPart, NOTHING_FOUND } from "./answer-parts.ts";
import type { HandoffReason } from "./handoff-reason.ts";
import { contentTtlAt, type Exchange, type Hold, isExpired, type Thread, type Turn } from "./thread.ts";

/**
 * @param now milliseconds since the epoch
 * @returns the thread of an item; undefined if the item is not a thread's own, or the thread has expired or is being
 *   deleted
 */
export function activeThread(item: Record<string, unknown> | undefined, now = Date.now()): Thread | undefined {
  const thread = keptThread(item);
  return thread && isExpired(thread, now) ? undefined : thread;
}

/** The same for a thread that was active when a turn began: it may have expired since. */
export function keptThread(item: Record<string, unknown> | undefined): Thread | undefined {
  if (item?.sk !== THREAD_SK || item.deleting) {
    return undefined;
  }
  return {
    threadId: String(item.threadId),
    generation: String(item.generation),
    patientId: textOrNull(item.patientId),
    boundPatientId: textOrNull(item.boundPatientId) ?? undefined,
    countedFor: textOrNull(item.countedFor) ?? undefined,
    alerted: item.alerted === true || undefined,
    messageCount: Number(item.messageCount),
    personMessages: numberOrNone(item.personMessages),
    hold: holdOf(item),
    holds: numberOrNone(item.holds),
    answerBy: textOrNull(item.answerBy) ?? undefined,
    requestReason: (textOrNull(item.requestReason) ?? undefined) as HandoffReason | undefined,
    requestedAt: textOrNull(item.requestedAt) ?? undefined,
    promised: item.promised === true || undefined,
    unanswered: item.unanswered === true || undefined,
    lastActivity: String(item.lastActivity),
    createdAt: String(item.createdAt),
    expiresAt: String(item.expiresAt),
    metadata: typeof item.metadata === "string" ? JSON.parse(item.metadata) : undefined,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function holdOf({ heldSince, heldBy }: Record<string, unknown>): Hold | undefined {
  return typeof heldSince === "string" ? { by: textOrNull(heldBy), since: heldSince } : undefined;
}

function numberOrNone(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** @param at the time of the commit, in milliseconds since the epoch */
export function turnItem(
  tenant: Tenant,
  thread: Thread,
  number: number,
  turn: Turn,
  at: number,
): Record<string, unknown> {
  return {
    ...turnKey(tenant, thread.threadId, thread.generation, number),
    ...turn,
    ...(foundNothing(turn) && { findings: undefined }),
    at: new Date(at).toISOString(),
    ttl: contentTtlAt(at),
  };
}

/** Whether the screen found nothing in a turn's question, and not only the model, which may rule out a suspicion. */
export function foundNothing(turn: Turn): turn is Exchange {
  return turn.author === undefined && turn.findings?.level === "none" && turn.findings.decidedBy === null;
}

export function turnOf(item: Record<string, unknown>): Turn {
  if (typeof item.author === "string") {
    return { author: item.author, content: String(item.content) };
  }
  const { question, parts, origin, held, handoff, alert, findings } = item as unknown as Exchange;
  // The database sorts the fields of a part.
  const ordered = parts.map(({ kind, text, ...fields }) => ({ kind, text, ...fields }) as AnswerPart);
  const inQuestion = question === undefined ? undefined : (findings ?? NOTHING_FOUND);
  return { question, parts: ordered, origin, held, handoff, alert, findings: inQuestion };
}
