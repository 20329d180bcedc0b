import type { FeedbackRequest } from "../../../packages/client/client.js";

/** Feedback on each answer, by the ID of its message; without comments. */
export type ThreadFeedback = Record<string, Omit<FeedbackRequest, "comment">>;

/**
 * What a reload brings back: IDs, and feedback, which the service does not return. No key, nothing about a patient, and
 * nothing that was said. The browser forgets it with the tab.
 */
export interface Session {
  patientId?: string | undefined;
  threadId?: string | undefined;
  /** By the ID of the thread. */
  feedback?: Record<string, ThreadFeedback> | undefined;
  /** Whether a message is under way. */
  isAnswering?: true | undefined;
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
  const { patientId, threadId, feedback, isAnswering } = { ...readSession(), ...changes };
  try {
    if (patientId || threadId || feedback) {
      sessionStorage.setItem(NAME, JSON.stringify({ patientId, threadId, feedback, isAnswering }));
    } else {
      sessionStorage.removeItem(NAME);
    }
  } catch {
    // storage is disabled: a reload forgets the conversation
  }
}

/** The feedback on a thread's answers. */
export function feedbackOn(threadId: string): ThreadFeedback {
  return readSession().feedback?.[threadId] ?? {};
}

/** Replaces the feedback on a thread's answers; undefined forgets it. */
export function keepFeedbackOn(threadId: string, feedback: ThreadFeedback | undefined): void {
  const { [threadId]: _, ...others } = readSession().feedback ?? {};
  const all = { ...others, ...(feedback && { [threadId]: feedback }) };
  changeSession({ feedback: Object.keys(all).length > 0 ? all : undefined });
}
