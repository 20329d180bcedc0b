import { button, byId } from "./elements.ts";
import { readSession } from "./session.ts";

/** What tabs tell each other: a question without an ID, and the ID of the thread that a tab shows. */
interface Message {
  threadId?: string | undefined;
}

/**
 * A tab without a thread offers the one that another tab of this browser shows; a tab with one tells it when asked. Only
 * the ID is told, and it is stored nowhere.
 */
export function offerOtherTab(onChoose: (threadId: string) => void): void {
  const channel = new BroadcastChannel("playground");
  channel.addEventListener("message", ({ data: { threadId } }: MessageEvent<Message>) => {
    const own = readSession().threadId;
    if (threadId === undefined) {
      if (own) {
        channel.postMessage({ threadId: own } satisfies Message);
      }
    } else if (!own) {
      const note = byId("welcome-note");
      note.replaceChildren(
        `Another tab shows thread ${threadId}. `,
        button("Show it here too", () => onChoose(threadId)),
      );
      note.hidden = false;
    }
  });
  if (!readSession().threadId) {
    channel.postMessage({} satisfies Message);
  }
}
