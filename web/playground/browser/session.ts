import type { FeedbackRequest } from "../../../client/client.js";

/** What the service does not return about a thread. */
export interface ThreadNotes {
  /** The feedback on each answer, by the ID of its message; without comments. */
  feedback?: Record<string, Omit<FeedbackRequest, "comment">>;
}

/**
 * What a reload brings back: IDs and notes. No key, nothing about a patient, and nothing that was said. The browser
 * forgets it with the tab.
 */
export interface Session {
  patientId?: string | undefined;
  threadId?: string | undefined;
  /** By the ID of the thread. */
  notes?: Record<string, ThreadNotes> | undefined;
}

const NAME = "playground";

/** The patient and the thread of this tab, of before a reload or of when the page was left. */
export function readSession(): Session {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? "{}");
  } catch {
    return {}; // storage is disabled
  }
}

/** Replaces what the changes name; undefined removes it. */
export function changeSession(changes: Session): void {
  const { patientId, threadId, notes } = { ...readSession(), ...changes };
  try {
    if (patientId || threadId || notes) {
      sessionStorage.setItem(NAME, JSON.stringify({ patientId, threadId, notes }));
    } else {
      sessionStorage.removeItem(NAME);
    }
  } catch {
    // storage is disabled: a reload forgets the conversation
  }
}

/** The notes on a thread. */
export function notesOn(threadId: string): ThreadNotes {
  return readSession().notes?.[threadId] ?? {};
}

/** Replaces the notes on a thread that the changes name. */
export function noteOn(threadId: string, changes: ThreadNotes): void {
  changeSession({ notes: { ...readSession().notes, [threadId]: { ...notesOn(threadId), ...changes } } });
}

/** Forgets the notes on a thread. */
export function forgetNotesOn(threadId: string): void {
  const { [threadId]: _, ...others } = readSession().notes ?? {};
  changeSession({ notes: Object.keys(others).length > 0 ? others : undefined });
}

/** Forgets the notes on all threads. */
export function forgetAllNotes(): void {
  changeSession({ notes: undefined });
}
