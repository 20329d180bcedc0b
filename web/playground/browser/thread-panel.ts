import { ApiError, type HealthAssistantClient } from "../../../client/client.js";
import { clock, spokenTime } from "../remaining.ts";
import type { Conversation } from "./conversation.ts";
import { button, byId } from "./elements.ts";
import type { Recorder } from "./recorder.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";

/** The time below which the clock is shown in the colour of a warning. */
const SOON_MILLISECONDS = 60_000;

const GONE = 404;

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  patientIdOf: () => string | undefined;
  conversation: Conversation;
  recorder: Recorder;
}

/** Opens, shows and deletes the thread, and counts the time until it expires. */
export class ThreadPanel {
  /** Undefined when there is none, or none any more. */
  threadId: string | undefined;
  private expiresAt = Number.NaN;
  private remaining = 0;
  private opened = 0;
  private readonly parts: PanelParts;
  private readonly look = byId<HTMLButtonElement>("look");
  private readonly remove = byId<HTMLButtonElement>("delete-thread");
  private readonly time = byId("expires-in");

  constructor(parts: PanelParts) {
    this.parts = parts;
    byId("open-thread").addEventListener("click", () => this.open());
    this.look.addEventListener("click", () => this.refresh());
    this.remove.addEventListener("click", () => this.delete());
    setInterval(() => this.tick(), 1000);
  }

  /**
   * Opens a thread, about the patient if there is one. Failures are shown.
   *
   * @param signal stops waiting for the thread
   */
  async open(signal?: AbortSignal): Promise<string | undefined> {
    const { conversation, clientOf, patientIdOf } = this.parts;
    const client = clientOf();
    if (!client) {
      return undefined;
    }
    const patientId = patientIdOf();
    try {
      const { threadId, messageCount, expiresAt, initialMessage } = await client.createThread(
        patientId ? { patientId } : {},
        signal && { signal },
      );
      this.show(threadId, messageCount, expiresAt);
      const about = patientId ? "about the patient" : "without a patient";
      conversation.addNotice(
        `Thread ${threadId} begins, ${about}.${this.opened > 0 ? " It knows nothing of what is above." : ""}`,
      );
      this.opened++;
      if (initialMessage) {
        const view = conversation.addAnswer();
        view.push(initialMessage);
        view.finish();
      }
      return threadId;
    } catch (error) {
      const text = signal?.aborted ? "Stopped before a thread was open. Nothing was sent." : failureText(error);
      conversation.addNotice(text, { failure: !signal?.aborted });
      return undefined;
    }
  }

  /** Asks the service about the thread: its count, and its end, which a look does not move. */
  async refresh(): Promise<void> {
    const { clientOf, conversation } = this.parts;
    this.expiresAt = Number.NaN; // nothing is counted while it is not known
    const client = this.threadId && clientOf();
    if (!client || !this.threadId) {
      return;
    }
    try {
      const { thread } = await client.getThread(this.threadId);
      this.show(thread.threadId, thread.messageCount, thread.expiresAt);
    } catch (error) {
      if (!this.endedBy(error)) {
        conversation.addNotice(failureText(error), { failure: true });
      }
    }
  }

  /**
   * Shows that the thread is gone, if that is what a failure says.
   *
   * @returns whether it is
   */
  endedBy(error: unknown): boolean {
    if (!(error instanceof ApiError) || error.status !== GONE || !this.threadId) {
      return false;
    }
    const threadId = this.threadId;
    this.end("expired, or deleted");
    const again = button("Open a new thread", () => {
      again.remove();
      this.open();
    });
    this.parts.conversation.addNotice(
      `${failureText(error)} Thread ${threadId} is gone with everything in it, and a new one begins with nothing.`,
      { failure: true, action: again },
    );
    return true;
  }

  private async delete(): Promise<void> {
    const { clientOf, conversation } = this.parts;
    const client = clientOf();
    if (!client || !this.threadId) {
      return;
    }
    try {
      const { message } = await client.deleteThread(this.threadId);
      this.end("deleted");
      conversation.addNotice(`${message}. Nothing of it is kept.`);
      byId("open-thread").focus(); // the button that had the focus is off now
    } catch (error) {
      if (!this.endedBy(error)) {
        conversation.addNotice(failureText(error), { failure: true });
      }
    }
  }

  private show(threadId: string, messageCount: number, expiresAt: string): void {
    this.threadId = threadId;
    this.expiresAt = Date.parse(expiresAt);
    this.remaining = this.expiresAt - this.now();
    byId("thread-id").textContent = threadId;
    byId("message-count").textContent = String(messageCount);
    this.look.disabled = false;
    this.remove.disabled = false;
    this.showTime();
  }

  private end(how: string): void {
    this.threadId = undefined;
    byId("thread-id").textContent = how;
    byId("message-count").textContent = "–";
    this.time.textContent = "–";
    this.time.classList.remove("soon");
    this.look.disabled = true;
    this.remove.disabled = true;
  }

  private tick(): void {
    if (!this.threadId || Number.isNaN(this.expiresAt)) {
      return;
    }
    const remaining = this.expiresAt - this.now();
    const spoken = spokenTime(this.remaining, remaining);
    if (spoken) {
      say(spoken);
    }
    this.remaining = remaining;
    this.showTime();
    if (remaining <= 0) {
      this.refresh();
    }
  }

  private showTime(): void {
    this.time.textContent = clock(this.remaining);
    this.time.classList.toggle("soon", this.remaining < SOON_MILLISECONDS);
  }

  /** The service's time. */
  private now(): number {
    return Date.now() + this.parts.recorder.clockOffset;
  }
}
