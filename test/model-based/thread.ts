/** Times are those of this machine, in milliseconds since the epoch; the service has the same clock. */
export interface Interval {
  start: number;
  end: number;
}

export interface Message {
  role: string;
  content: string;
}

export interface Patient {
  id: string;
  name: string;
  /** 11 digits. */
  phone: string;
  /** Stands in the record that the model is given, and nowhere else. */
  condition: string;
  /** Whether age and gender are known, so that a thread has no opening question. */
  complete: boolean;
}

/** A request with an idempotency key, and the response it got, if it was answered. */
export interface KeyedRequest {
  client: string;
  key: string;
  body: { message: string; threadId: string };
  response?: unknown;
}

/** One request on a thread, with its outcome. */
export interface ThreadRequest extends Interval {
  name: string;
  /** Whether the service said that the thread exists; undefined if it did not say. */
  found: boolean | undefined;
  /** The question of a chat that stored a turn, or, without a count, may have stored one or will. */
  question?: string;
  /** How many messages the thread has with this turn, or had when it was read. */
  count?: number;
  /** The thread's messages that the model was given or the caller read, the oldest first. */
  messages?: Message[];
  lastActivity?: number;
  /** Whether the thread is gone afterwards. */
  deletes?: true;
}

/** What the service must know of a thread. */
export interface Thread {
  id: string;
  patient: Patient | undefined;
  /** The patient that chats on it are about. */
  about: Patient | undefined;
  /** The opening question, which counts as a turn of two messages. */
  opening: string | undefined;
  created: Interval;
  createdAt?: string;
  history: ThreadRequest[];
  keyed: KeyedRequest[];
  /** Deleted, or seen to have expired. */
  gone: boolean;
  /** When a deletion was sent; a new thread may get the id from then on. */
  deletedFrom: number;
  /** The id belongs to a newer thread, whose responses later ones may be. */
  reused: boolean;
}

/** A message of a desk's thread. */
export interface Said {
  role: "user" | "assistant" | "person";
  /** Undefined for the service's own text while a person holds the thread. */
  content: string | undefined;
  author?: string;
  /** If the response contained it. */
  id?: string;
}

/**
 * A thread that only one client uses, which people take over and give back. What several clients do to one thread at
 * once is compared in `test/long/random-clients`.
 */
export interface Desk {
  thread: Thread;
  /** Oldest first. */
  said: Said[];
  /** Who holds it. */
  by: string | undefined;
  /** Before the last message was stored; the thread lives at least from then on. */
  activeFrom: number;
  gone: boolean;
}

/** Adds a request to the history of a thread, which is checked at the end of a run. */
export function note(thread: Thread, request: ThreadRequest): void {
  thread.history.push(request);
  thread.gone ||= request.found === false || request.deletes === true;
}

/** The start of the last request before a time that certainly extended the life of a thread. */
export function lastExtended({ created, history }: Thread, before: number): number {
  const chats = history.filter(
    ({ question, count, end }) => question !== undefined && count !== undefined && end <= before,
  );
  return Math.max(created.start, ...chats.map(({ start }) => start));
}

/** Whether a thread must have existed until a time. */
export function certainlyThere(thread: Thread, until: number, idle: number): boolean {
  return !thread.gone && thread.deletedFrom > until && until < lastExtended(thread, until) + idle;
}
