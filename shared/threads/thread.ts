import type { Category } from "../../packages/safety/alerts.ts";
import type { Findings } from "../../packages/safety/findings.ts";
import type { Clock } from "../config.ts";
import { sweepAt } from "../dynamo/keys.ts";
import type { AnswerPart } from "./answer-parts.ts";
import type { HandoffReason } from "./handoff-reason.ts";
import type { ThreadInfo } from "./thread-responses.ts";

/** The number of messages of a thread that a chat uses as context (specification, Limits), two per turn. */
export const CONTEXT_MESSAGES = 20;

/** Inactivity after which a thread is expired, and how often expired threads are swept (specification, Limits). */
export const IDLE_SECONDS = 30 * 60;
export const SWEEP_INTERVAL_SECONDS = 10 * 60;

/** The lifetime of an inactive thread in words, such as "30 minutes". */
export function idleTime(idleSeconds = IDLE_SECONDS): string {
  return idleSeconds % 60 === 0 ? `${idleSeconds / 60} minutes` : `${idleSeconds} seconds`;
}

/** The `error` of a 404 for a thread that does not exist or has expired (specification, Errors). */
export const THREAD_GONE = { error: "Thread not found or expired", code: "thread-not-found" };

/** The `error` of a 404 for a deletion (specification, Errors). */
export const NO_THREAD = { ...THREAD_GONE, error: "Thread not found" };

/** A thread as stored. Times are ISO 8601 in UTC, so that they compare as text. */
export interface Thread extends ThreadInfo {
  /** Generated at creation. The 5-digit id will eventually be reused; the generation never is. */
  generation: string;
  /** On a thread without a linked patient: the patient its chats have been about. Not shown to callers. */
  boundPatientId?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Whether any of its answers was an alert. Not shown to callers. */
  alerted?: boolean | undefined;
  /** The partition key of the idempotency record of its creation, which is deleted with it. */
  creationRecord?: string | undefined;
  /** The client whose quota of live threads it counts toward. Not shown to callers. */
  countedFor?: string | undefined;
  /** How many messages a person of the care team wrote, each a turn of its own. Not shown to callers. */
  personMessages?: number | undefined;
  /** The person who has taken over; undefined while the model answers. */
  hold?: Hold | undefined;
  /** How often a person has taken over: an answer is stored only if nobody has since the thread was read. */
  holds?: number | undefined;
  /** Until when a person should have taken over, as ISO 8601; undefined without an open request for one. */
  answerBy?: string | undefined;
  /** Why the open request was made. */
  requestReason?: HandoffReason | undefined;
  /** When it was made, as ISO 8601. */
  requestedAt?: string | undefined;
  /** Whether the user was told that the care team is informed of the open request. */
  promised?: boolean | undefined;
  /** Whether the event `handoff.unanswered` was recorded for the open request. */
  unanswered?: boolean | undefined;
}

/** A person's hold on a thread. */
export interface Hold {
  /** The name that users are shown; null if none was given. */
  by: string | null;
  /** ISO 8601. */
  since: string;
}

/** An entry of a conversation. */
export type Turn = Exchange | PersonMessage;

/** A user's message and the answer to it. */
export interface Exchange {
  author?: undefined;
  /** Undefined for an opening question, where the assistant speaks first. */
  question: string | undefined;
  /** The answer. */
  parts: readonly AnswerPart[];
  /** How the answer came about. */
  origin: Origin;
  /** Whether a person had taken over, so that the model's words are not in the answer. */
  held?: boolean | undefined;
  /** Why the answer requests a person. */
  handoff?: HandoffReason | undefined;
  /** The category of the alert in the answer, for the model, also if it is not certain enough for callers. */
  alert?: Category | undefined;
  /** What was found in the question; undefined without one. */
  findings?: Findings | undefined;
}

/** A message by the person who has taken over. */
export interface PersonMessage {
  /** The person's name. */
  author: string;
  content: string;
}

/** How an answer came about, to mark it and to compare answers. */
interface Origin {
  /** The model that wrote it, or a part of it; null if all of it is the service's own fixed texts. */
  model: string | null;
  /** The version of the model's instructions. */
  instructions: string;
  /** The language of the user's message, as a BCP 47 tag. */
  language: string;
}

/** What an event names; by the generation, an erasure finds it even if the thread is bound later. */
export function subjectOf({ threadId, generation, patientId, boundPatientId }: Thread) {
  return { threadId, generation, patientId: patientId ?? boundPatientId };
}

/** @returns the thread object of `GET /threads/{id}` */
export function toThreadInfo(thread: Thread): ThreadInfo {
  const { threadId, patientId, messageCount, lastActivity, createdAt, expiresAt } = thread;
  return { threadId, patientId, messageCount, lastActivity, createdAt, expiresAt };
}

/** Returns the number of turns of a thread, which is the number of its next one. */
export function turnCount({ messageCount, personMessages = 0 }: Thread): number {
  return (messageCount + personMessages) / 2;
}

/** Whether a person should have taken over by now, and nobody has. */
export function isOverdue({ answerBy }: Thread, now: number): boolean {
  return answerBy !== undefined && Date.parse(answerBy) <= now;
}

/**
 * Returns the times derived from a thread's last activity.
 *
 * @param lastActivity milliseconds since the epoch
 * @returns `lastActivity` and `expiresAt` as ISO 8601, and the {@link deletionTimes}
 */
export function lifetime(lastActivity: number, clock: Clock) {
  const visible = visibleLifetime(lastActivity, clock);
  return { ...visible, ...deletionTimes(visible, clock) };
}

/**
 * Returns when a thread is deleted.
 *
 * @returns `sweepAt`, the first sweep at or after the expiry; `ttl` in epoch seconds, a day after the expiry, because
 *   DynamoDB's own deletion is only a fallback for the sweep
 */
export function deletionTimes({ expiresAt }: Pick<Thread, "expiresAt">, clock: Clock) {
  const expiry = Date.parse(expiresAt);
  return { sweepAt: sweepAt(expiry, clock), ttl: ttlAt(expiry) };
}

/** Returns the part of {@link lifetime} that callers see. */
export function visibleLifetime(lastActivity: number, clock: Clock): Pick<Thread, "lastActivity" | "expiresAt"> {
  return {
    lastActivity: new Date(lastActivity).toISOString(),
    expiresAt: new Date(lastActivity + clock.idleSeconds * 1000).toISOString(),
  };
}

const DAY_SECONDS = 24 * 60 * 60;

/** Returns the `ttl` of an item that should be deleted at `time` (milliseconds): a day later, in epoch seconds. */
export function ttlAt(time: number): number {
  return Math.ceil(time / 1000) + DAY_SECONDS;
}

/** How long a conversation may go on, with a message at least every half hour, before its first turns are deleted. */
const CONTENT_DAYS = 7;

/**
 * Returns the `ttl` of a turn, or of feedback on one, in epoch seconds. They are deleted together with their thread,
 * whose lifetime later turns extend. This is a fallback for what is left if a thread's own item was deleted by its
 * `ttl`.
 *
 * @param at the time when it was stored, in milliseconds since the epoch
 */
export function contentTtlAt(at: number): number {
  return Math.ceil(at / 1000) + CONTENT_DAYS * DAY_SECONDS;
}

/** Whether a thread has been inactive for the idle time or longer (specification, States). */
export function isExpired(thread: { expiresAt: string }, now: number): boolean {
  return Date.parse(thread.expiresAt) <= now; // formatting the other time takes three times as long
}
