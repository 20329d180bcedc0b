/** What clients can be told of. */
export const EVENT_TYPES = [
  "safety.alert",
  "handoff.requested",
  "handoff.unanswered",
  "thread.expired",
  "patient.erased",
  "feedback.created",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Something that happened, for a tenant's webhooks and `GET /events`: only IDs and times, never what was said. Whoever
 * receives it reads the rest with a key.
 */
export interface NewEvent {
  type: EventType;
  threadId?: string | undefined;
  patientId?: string | undefined;
  messageId?: string | undefined;
  /** The level of an alert, without its category. */
  level?: "crisis" | "emergency" | undefined;
  /** Until when the thread can be read, as ISO 8601. */
  expiresAt?: string | undefined;
}
