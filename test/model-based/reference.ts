import { expect } from "@jest/globals";

/** Times are those of this machine, in milliseconds since the epoch; the service has the same clock. */
export interface Interval {
  start: number;
  end: number;
}

/** A user's message and its answer; the message of an opening turn is the service's own. */
export interface StoredTurn {
  question: string | undefined;
  answer: string;
}

export interface PatientModel {
  id: string;
  name: string;
  /** 11 digits. */
  phone: string;
  /** Stands in the record that the model is given, and nowhere else. */
  condition: string;
  /** Whether age and gender are known, so that a thread has no opening question. */
  complete: boolean;
}

/** A request with an idempotency key, and the response it got. */
export interface KeyedRequest {
  key: string;
  body: Record<string, unknown>;
  response: unknown;
}

/** What the service must know of a thread that one client alone uses. */
export interface ThreadModel {
  id: string;
  patient: PatientModel | undefined;
  /** The patient that chats on a thread without one are about. */
  about: PatientModel | undefined;
  turns: StoredTurn[];
  keyed: KeyedRequest[];
  createdAt: string | undefined;
  /** When the last message was stored. */
  activity: Interval;
  /** Deleted, or seen to have expired. */
  gone: boolean;
  /** When a deletion was sent; a new thread may get the id from then on. */
  deletedFrom: number;
  /** The id belongs to a newer thread. */
  reused: boolean;
}

/** Whether a thread must exist for a request, must not, or may have expired while it was under way. */
export type Presence = "present" | "gone" | "either";

export function presence(thread: ThreadModel, { start, end }: Interval, idle: number): Presence {
  if (thread.gone || start >= thread.activity.end + idle) {
    return "gone";
  }
  return end < thread.activity.start + idle ? "present" : "either";
}

/**
 * Compares a request's fate with the thread's.
 *
 * @param found whether the service said that the thread exists
 * @returns whether the model's thread exists for this request; false also for an id that a newer thread has
 */
export function agree(thread: ThreadModel, interval: Interval, idle: number, found: boolean): boolean {
  if (thread.reused) {
    thread.gone = true;
    return false;
  }
  const expected = presence(thread, interval, idle);
  if (expected !== "either") {
    expect({ thread: found ? "present" : "gone" }).toEqual({ thread: expected });
  }
  thread.gone ||= !found;
  return found;
}

/** What the model is given of a thread: its last ten turns. */
export function contextOf(turns: StoredTurn[]): { role: string; content: unknown }[] {
  return turns
    .slice(-10)
    .flatMap(({ question, answer }) => [
      ...(question === undefined ? [] : [{ role: "user", content: question }]),
      { role: "assistant", content: answer },
    ]);
}
