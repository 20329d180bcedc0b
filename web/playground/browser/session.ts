/** What a reload brings back. IDs only: no key, no name and nothing that was said. The browser forgets it with the tab. */
export interface Session {
  patientId?: string | undefined;
  threadId?: string | undefined;
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
  const { patientId, threadId } = { ...readSession(), ...changes };
  try {
    if (patientId || threadId) {
      sessionStorage.setItem(NAME, JSON.stringify({ patientId, threadId }));
    } else {
      sessionStorage.removeItem(NAME);
    }
  } catch {
    // storage is disabled: a reload forgets the conversation
  }
}
