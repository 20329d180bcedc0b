import { EVENT_PREFIX } from "../dynamo/keys.ts";
import { DATABASE_CONNECT_MILLISECONDS, DATABASE_TRIES, DATABASE_TRY_MILLISECONDS } from "../time-limits.ts";

/** What clients can be told of. */
export const EVENT_TYPES = [
  "safety.alert",
  "handoff.requested",
  "handoff.unanswered",
  "thread.expired",
  "patient.erased",
  "feedback.created",
  "message.created",
  "profile.updated",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** How long events can be read. */
export const EVENT_DAYS = 7;

/**
 * An event's ID contains the time when its transaction was prepared, and the transaction may be committed as late as
 * all attempts to send it take. Only events older than that are listed, so no event can appear before a cursor that a
 * caller already has. Includes a margin for pauses between the attempts and for clocks that differ.
 */
export const SETTLED_MILLISECONDS =
  DATABASE_TRIES * (DATABASE_CONNECT_MILLISECONDS + DATABASE_TRY_MILLISECONDS) + 6_000;

/** The `message` of a 400 for a cursor. */
export const NO_EVENT_CURSOR = "is not the id of an event";

/** What an event is about: IDs, which an erasure of the patient removes, and no words. */
interface EventData {
  threadId?: string | undefined;
  patientId?: string | undefined;
  messageId?: string | undefined;
  /** The level of an alert, without its category. */
  level?: "crisis" | "emergency" | undefined;
  /** Until when the thread can be read, as ISO 8601. */
  expiresAt?: string | undefined;
  /** Whether the clinic is open, and if not, when it opens, as ISO 8601; only of a clinic whose hours are known. */
  open?: boolean | undefined;
  opensAt?: string | undefined;
}

/**
 * Something that happened, for a tenant's webhooks and `GET /events`: only IDs and times, never what was said. Whoever
 * receives it reads the rest with a key.
 */
export interface NewEvent extends EventData {
  type: EventType;
  /**
   * The thread's generation, by which an erasure finds the events of the patient's threads, even those from before the
   * thread was bound to the patient. It is not shown to callers.
   */
  generation?: string | undefined;
}

/** An event as recorded. */
export interface StoredEvent extends NewEvent {
  id: string;
  /** ISO 8601. */
  at: string;
}

/** What receivers get: the payload that Standard Webhooks recommends. */
export interface EventPayload {
  type: EventType;
  timestamp: string;
  data: EventData;
}

export function payloadOf(event: StoredEvent): EventPayload {
  const { type, at, threadId, patientId, messageId, level, expiresAt, open, opensAt } = event;
  return { type, timestamp: at, data: { threadId, patientId, messageId, level, expiresAt, open, opensAt } };
}

/** How the IDs of a millisecond's events begin: with the same length until 2059, so that IDs sort by time. */
export function eventIdAt(time: number): string {
  return `${EVENT_PREFIX}${time.toString(36)}`;
}

const EVENT_ID = new RegExp(`^${EVENT_PREFIX}(?<time>[0-9a-z]{8})[0-9a-f]{24}$`);

/** Returns when an event happened, in milliseconds since the epoch, from its ID ({@link eventIdAt}). */
export function eventTimeOf(id: string): number {
  return Number.parseInt(EVENT_ID.exec(id)?.groups?.time ?? "", 36);
}

/** Whether a text has the format of an event's ID. */
export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}
