import { ApiError, type HealthAssistantClient } from "../../../client/client.js";
import { nameOf } from "../chart.ts";
import { clock, spokenTime } from "../remaining.ts";
import type { Conversation } from "./conversation.ts";
import { button, byId } from "./elements.ts";
import { readHistory } from "./history.ts";
import type { PatientPanel } from "./patient-panel.ts";
import type { Recorder } from "./recorder.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";

/** The time below which the clock is shown in the color of a warning. */
const SOON_MILLISECONDS = 60_000;

const GONE = 404;

interface PanelParts {
  baseUrl: string;
  clientOf: () => HealthAssistantClient | undefined;
  patient: PatientPanel;
  conversation: Conversation;
  recorder: Recorder;
}

/**
 * Opens, shows and deletes the thread, and counts the time until it expires. The address's fragment contains the thread's
 * ID, so that the conversation can be restored after a reload; nothing that was said is stored in the browser.
 */
export class ThreadPanel {
  /** Undefined when there is none, or none any more. */
  threadId: string | undefined;
  private expiresAt = Number.NaN;
  private remaining = 0;
  /** The longest time until the expiry that has been seen, for the bar. */
  private lifetime = 1;
  private restoring: Promise<void> | undefined;
  private readonly parts: PanelParts;
  private readonly look = byId<HTMLButtonElement>("look");
  private readonly remove = byId<HTMLButtonElement>("delete-thread");
  private readonly time = byId("expires-in");
  private readonly bar = byId("time-left");
  private readonly note = byId("welcome-note");

  constructor(parts: PanelParts) {
    this.parts = parts;
    byId("open-thread").addEventListener("click", () => this.open());
    this.look.addEventListener("click", () => this.refresh());
    this.remove.addEventListener("click", () => this.delete());
    byId("api-key").addEventListener("change", () => this.restore());
    setInterval(() => this.tick(), 1000);
    const earlier = threadInAddress();
    this.note.hidden = !earlier;
    this.note.textContent = `Enter the API key to continue thread ${earlier}.`;
  }

  /**
   * Opens a thread, about the patient if there is one. An open one is closed before. Failures are shown.
   *
   * @param signal stops waiting for the thread
   */
  async open(signal?: AbortSignal): Promise<string | undefined> {
    const { conversation, clientOf, patient } = this.parts;
    const client = clientOf();
    if (!client) {
      return undefined;
    }
    const subject = patient.current;
    const { generation } = conversation;
    try {
      const { threadId, messageCount, expiresAt, initialMessage } = await client.createThread(
        subject ? { patientId: subject.id } : {},
        signal && { signal },
      );
      if (conversation.generation !== generation) {
        return undefined; // another patient was chosen meanwhile
      }
      this.close();
      this.show(threadId, messageCount, expiresAt);
      conversation.addNotice(`Thread ${threadId} begins, about ${subject ? nameOf(subject) : "no patient"}.`);
      if (initialMessage) {
        const view = conversation.addAnswer();
        view.push(initialMessage);
        view.finish();
      }
      return threadId;
    } catch (error) {
      if (conversation.generation === generation) {
        const text = signal?.aborted ? "Stopped before a thread was open. Nothing was sent." : failureText(error);
        conversation.addNotice(text, { failure: !signal?.aborted });
      }
      return undefined;
    }
  }

  /** Closes the conversation. Its thread is left to expire. */
  close(): void {
    this.parts.conversation.clear();
    this.end("none yet");
    this.note.hidden = true;
  }

  /** The conversation of the thread in the address, once there is a key to read it with. */
  async restore(): Promise<void> {
    const threadId = threadInAddress();
    if (!this.threadId && threadId) {
      this.restoring ??= this.readThread(threadId).finally(() => {
        this.restoring = undefined;
      });
    }
    await this.restoring;
  }

  /** Asks the service about the thread: its count, and its end, which a look does not move. */
  async refresh(): Promise<void> {
    const { clientOf, conversation } = this.parts;
    const { threadId } = this;
    this.expiresAt = Number.NaN; // nothing is counted while it is not known
    const client = threadId && clientOf();
    if (!client) {
      return;
    }
    try {
      const { thread } = await client.getThread(threadId);
      if (this.threadId === threadId) {
        this.show(thread.threadId, thread.messageCount, thread.expiresAt);
      }
    } catch (error) {
      if (this.threadId === threadId && !this.endedBy(error)) {
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
    const { threadId } = this;
    this.end("expired or deleted");
    const again = button("Open a new thread", () => this.open());
    this.parts.conversation.addNotice(
      `${failureText(error)} Thread ${threadId} is gone with everything in it. A new thread starts empty.`,
      { failure: true, action: again },
    );
    return true;
  }

  private async readThread(threadId: string): Promise<void> {
    const { clientOf, conversation, patient } = this.parts;
    const client = clientOf();
    if (!client) {
      return;
    }
    const { generation } = conversation;
    try {
      const { thread } = await client.getThread(threadId);
      const subject = thread.patientId ? (await client.getPatient(thread.patientId)).patient : undefined;
      const history = await this.history(threadId);
      if (conversation.generation !== generation) {
        return;
      }
      patient.show(subject);
      this.show(threadId, thread.messageCount, thread.expiresAt);
      this.note.hidden = true;
      if (history) {
        conversation.addEarlier(history.messages);
        this.offerEarlier(history.messages[0]?.id, history.hasMore);
      } else if (thread.messageCount > 0) {
        conversation.addNotice("This service does not return earlier messages. They still count for its answers.");
      }
      conversation.addNotice(`Thread ${threadId} continues, about ${subject ? nameOf(subject) : "no patient"}.`);
    } catch (error) {
      if (error instanceof ApiError && error.status === GONE) {
        setThreadInAddress(undefined);
        this.note.hidden = true;
      }
      conversation.addNotice(failureText(error), { failure: true });
    }
  }

  private history(threadId: string, before?: string) {
    const { baseUrl, recorder } = this.parts;
    const { value: apiKey } = byId<HTMLInputElement>("api-key");
    return readHistory({ baseUrl, apiKey, recorder }, threadId, before);
  }

  /** Offers the messages before the oldest one shown, if there are any. */
  private offerEarlier(oldest: string | undefined, hasMore: boolean): void {
    const { conversation } = this.parts;
    const { threadId } = this;
    if (!threadId || !oldest || !hasMore) {
      return;
    }
    const earlier = button("Show earlier messages", async () => {
      const history = await this.history(threadId, oldest);
      if (earlier.isConnected && history) {
        earlier.remove();
        conversation.addEarlier(history.messages);
        this.offerEarlier(history.messages[0]?.id, history.hasMore);
      }
    });
    byId("conversation").prepend(earlier);
  }

  private async delete(): Promise<void> {
    const { clientOf, conversation } = this.parts;
    const client = clientOf();
    const { threadId } = this;
    if (!client || !threadId) {
      return;
    }
    try {
      const { message } = await client.deleteThread(threadId);
      if (this.threadId === threadId) {
        this.end("deleted");
        conversation.addNotice(`${message}. Nothing of it is kept.`);
        byId("open-thread").focus(); // the button that had the focus is disabled now
      }
    } catch (error) {
      if (this.threadId === threadId && !this.endedBy(error)) {
        conversation.addNotice(failureText(error), { failure: true });
      }
    }
  }

  private show(threadId: string, messageCount: number, expiresAt: string): void {
    const { current } = this.parts.patient;
    this.threadId = threadId;
    this.expiresAt = Date.parse(expiresAt);
    this.remaining = this.expiresAt - this.now();
    this.lifetime = Math.max(this.lifetime, this.remaining);
    byId("thread-id").textContent = threadId;
    byId("thread-patient").textContent = current ? nameOf(current) : "no patient";
    byId("message-count").textContent = String(messageCount);
    this.look.disabled = false;
    this.remove.disabled = false;
    document.body.classList.add("connected");
    setThreadInAddress(threadId);
    this.showTime();
  }

  private end(how: string): void {
    this.threadId = undefined;
    this.expiresAt = Number.NaN;
    this.remaining = 0;
    byId("thread-id").textContent = how;
    byId("thread-patient").textContent = "–";
    byId("message-count").textContent = "–";
    this.look.disabled = true;
    this.remove.disabled = true;
    document.body.classList.remove("connected");
    setThreadInAddress(undefined);
    this.showTime();
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
    const { threadId, remaining } = this;
    this.time.textContent = threadId ? clock(remaining) : "–";
    for (const element of [this.time, this.bar]) {
      element.classList.toggle("soon", threadId !== undefined && remaining < SOON_MILLISECONDS);
    }
    const left = threadId ? Math.max(0, Math.min(1, remaining / this.lifetime)) : 0;
    this.bar.style.setProperty("--left", String(left));
  }

  /** The service's time. */
  private now(): number {
    return Date.now() + this.parts.recorder.clockOffset;
  }
}

function threadInAddress(): string | undefined {
  return /^#thread=(\d{5})$/.exec(location.hash)?.[1];
}

function setThreadInAddress(threadId: string | undefined): void {
  const { pathname, search } = location;
  history.replaceState(null, "", pathname + search + (threadId ? `#thread=${threadId}` : ""));
}
