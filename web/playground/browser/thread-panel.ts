import {
  ApiError,
  type GetHandoffResult,
  type HealthAssistantClient,
  type ListMessagesResult,
  type ThreadMessage,
} from "../../../client/client.js";
import { nameOf } from "../chart.ts";
import { AnswerFooter } from "./answer-footer.ts";
import type { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { Countdown } from "./countdown.ts";
import { button, byId } from "./elements.ts";
import type { PatientPanel } from "./patient-panel.ts";
import { readPatient } from "./patient-reader.ts";
import type { Recorder } from "./recorder.ts";
import { failureText } from "./service.ts";
import { changeSession, forgetNotesOn, readSession, type Session } from "./session.ts";

const GONE = 404;

/** The messages that are read at once. */
const PAGE = 20;

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  patient: PatientPanel;
  conversation: Conversation;
  recorder: Recorder;
  /** Called with the ID of the thread whenever one is shown, or undefined when it is closed or gone. */
  onThread: (threadId: string | undefined) => void;
  /** Called with who has taken over the thread, null for nobody, when it has been read. */
  onHold: (hold: GetHandoffResult["hold"]) => void;
  /** Whether a message is under way, or one that failed can be sent again. */
  isPending: () => boolean;
}

/**
 * Opens, shows and deletes the thread. After a reload or the way back to this page, it reads patient and thread again;
 * nothing that was said is stored in the browser.
 */
export class ThreadPanel {
  /** Undefined when there is none, or none any more. */
  threadId: string | undefined;
  private opening: Promise<string | undefined> | undefined;
  private restoring: Promise<void> | undefined;
  private readonly parts: PanelParts;
  private readonly look = byId<HTMLButtonElement>("look");
  private readonly remove = byId<HTMLButtonElement>("delete-thread");
  private readonly countdown: Countdown;
  private readonly note = byId("welcome-note");

  constructor(parts: PanelParts) {
    this.parts = parts;
    this.countdown = new Countdown(parts.recorder, () => this.refresh());
    byId("open-thread").addEventListener("click", () => this.open());
    this.look.addEventListener("click", () => this.reload());
    this.remove.addEventListener("click", () => this.delete());
    byId("api-key").addEventListener("change", () => this.restore());
    const { threadId } = readSession();
    this.note.hidden = !threadId;
    this.note.textContent = threadId ? `Enter the API key to continue thread ${threadId}.` : "";
  }

  /**
   * Opens a thread, about the patient if there is one. An open one is closed before. Failures are shown. While one is
   * being opened, there is no second one.
   *
   * @param signal stops waiting for the thread
   */
  open(signal?: AbortSignal): Promise<string | undefined> {
    const opening = this.opening ?? this.create(signal);
    this.opening = opening;
    return opening.finally(() => {
      if (this.opening === opening) {
        this.opening = undefined;
      }
    });
  }

  private async create(signal?: AbortSignal): Promise<string | undefined> {
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
      forgetNotesOn(threadId); // a thread that has expired may have had the same ID
      this.show(threadId, messageCount, expiresAt);
      conversation.addNotice(`Thread ${threadId} begins, about ${subject ? nameOf(subject) : "no patient"}.`);
      if (initialMessage) {
        const view = conversation.addAnswer();
        view.begin(0, { kind: "words", text: "" });
        view.push(0, initialMessage);
        view.finish();
        await this.addFooter(client, threadId, view);
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

  /** Puts what stands below an answer under the opening question, of which the service has not returned the ID. */
  private async addFooter(client: HealthAssistantClient, threadId: string, view: AnswerView): Promise<void> {
    try {
      const [message] = (await client.listMessages(threadId, { limit: 1 })).messages;
      view.addBelow(message && this.footerOf(message));
    } catch (error) {
      this.explain(threadId, error);
    }
  }

  /** Closes the conversation. Its thread is left to expire. */
  close(): void {
    this.opening = undefined;
    this.parts.conversation.clear();
    this.end("none yet");
    this.forgetNote();
  }

  /** Brings back the patient and the conversation of before a reload, once there is a key to read them with. */
  async restore(): Promise<void> {
    if (!this.threadId && !this.parts.patient.current) {
      this.restoring ??= this.bringBack(readSession()).finally(() => {
        this.restoring = undefined;
      });
    }
    await this.restoring;
  }

  /** Shows a thread instead of the one that is open, if any. */
  async reopen(threadId: string): Promise<void> {
    this.close();
    await this.readThread(threadId);
  }

  private async bringBack({ patientId, threadId }: Session): Promise<void> {
    if (threadId) {
      await this.readThread(threadId);
    }
    // The patient outlives a thread that has expired.
    if (patientId && readSession().threadId === undefined) {
      await this.readSubject(patientId);
    }
  }

  private async readSubject(patientId: string): Promise<void> {
    const { clientOf, conversation, patient } = this.parts;
    const client = clientOf();
    const { generation } = conversation;
    try {
      const subject = client && (await readPatient(client, patientId));
      if (subject && conversation.generation === generation) {
        patient.show(subject);
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === GONE) {
        patient.show(undefined);
      }
      conversation.addNotice(failureText(error), { failure: true });
    }
  }

  /**
   * Shows the thread as it is now, with what was done to it elsewhere. A message that is under way or failed is only on
   * this page: then just the facts are read.
   */
  private async reload(): Promise<void> {
    const { threadId } = this;
    if (!threadId || this.opening || this.parts.isPending()) {
      await this.refresh();
    } else {
      await this.readThread(threadId);
    }
  }

  /** Asks the service about the thread: its count, and its end, which a look does not move. */
  async refresh(): Promise<void> {
    const { clientOf } = this.parts;
    const { threadId } = this;
    this.countdown.pause();
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
      this.explain(threadId, error);
    }
  }

  /** Shows why something failed that was asked of a thread, unless another one is shown meanwhile. */
  explain(threadId: string, error: unknown): void {
    if (this.threadId === threadId && !this.endedBy(error)) {
      this.parts.conversation.addNotice(failureText(error), { failure: true });
    }
  }

  /** What stands below an answer of the thread. */
  footerOf(message: Pick<ThreadMessage, "id" | "generatedBy" | "model">): HTMLElement {
    const { threadId = "" } = this;
    const onFailure = (error: unknown) => this.explain(threadId, error);
    return new AnswerFooter({ clientOf: this.parts.clientOf, threadId, message, onFailure }).element;
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
    forgetNotesOn(threadId);
    const again = button("Open a new thread", () => this.open());
    this.parts.conversation.addNotice(
      `${failureText(error)} Thread ${threadId} is gone with everything in it. A new thread starts empty.`,
      { failure: true, action: again },
    );
    return true;
  }

  private async readThread(threadId: string): Promise<void> {
    const { clientOf, conversation, patient, isPending, onHold } = this.parts;
    const isShown = this.threadId === threadId;
    const client = clientOf();
    if (!client) {
      return;
    }
    const { generation } = conversation;
    try {
      const { thread } = await client.getThread(threadId);
      const subject = thread.patientId ? await readPatient(client, thread.patientId) : undefined;
      const stored = await Promise.all([
        client.listMessages(threadId, { limit: PAGE, include: "parts" }),
        client.getHandoff(threadId),
      ]).catch(failureText);
      if (conversation.generation !== generation || (isShown && (this.threadId !== threadId || isPending()))) {
        return;
      }
      if (isShown) {
        conversation.clear();
      }
      patient.show(subject);
      this.show(threadId, thread.messageCount, thread.expiresAt);
      this.forgetNote();
      if (typeof stored === "string") {
        conversation.addNotice(`${stored} The earlier messages still count for the answers.`, { failure: true });
      } else {
        this.showEarlier(stored[0]);
      }
      conversation.addNotice(`Thread ${threadId} continues, about ${subject ? nameOf(subject) : "no patient"}.`);
      if (typeof stored !== "string") {
        onHold(stored[1].hold);
      }
    } catch (error) {
      if (isShown) {
        this.explain(threadId, error);
        return;
      }
      if (error instanceof ApiError && error.status === GONE) {
        changeSession({ threadId: undefined });
        this.forgetNote();
      }
      conversation.addNotice(failureText(error), { failure: true });
    }
  }

  /** Shows a page of messages above the others, and offers the messages before it, if there are any. */
  private showEarlier({ messages, hasMore }: ListMessagesResult): void {
    const { conversation, clientOf } = this.parts;
    const { threadId } = this;
    conversation.addEarlier(messages.toReversed(), (message) => this.footerOf(message));
    const before = messages.at(-1)?.id;
    if (!threadId || !before || !hasMore) {
      return;
    }
    const earlier = button("Show earlier messages", async () => {
      earlier.disabled = true;
      try {
        const page = await clientOf()?.listMessages(threadId, { limit: PAGE, before, include: "parts" });
        if (earlier.isConnected && page) {
          earlier.remove();
          this.showEarlier(page);
          byId("conversation").focus(); // the button that had the focus is gone
        }
      } catch (error) {
        this.explain(threadId, error);
      } finally {
        earlier.disabled = false;
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
        forgetNotesOn(threadId);
        conversation.addNotice(`${message}. Nothing of it is kept.`);
        byId("open-thread").focus(); // the button that had the focus is disabled now
      }
    } catch (error) {
      this.explain(threadId, error);
    }
  }

  /** Names the thread's patient as the record does now. */
  nameSubject(): void {
    const { current } = this.parts.patient;
    byId("thread-patient").textContent = !this.threadId ? "–" : current ? nameOf(current) : "no patient";
  }

  private forgetNote(): void {
    this.note.hidden = true;
    this.note.textContent = "";
  }

  /** Shows the facts of a thread, which is the one that the page is about from now on. */
  show(threadId: string, messageCount: number, expiresAt: string): void {
    this.threadId = threadId;
    byId("thread-id").textContent = threadId;
    this.nameSubject();
    byId("message-count").textContent = String(messageCount);
    this.look.disabled = false;
    this.remove.disabled = false;
    document.body.classList.add("connected");
    changeSession({ threadId });
    this.countdown.start(expiresAt);
    this.parts.onThread(threadId);
  }

  private end(how: string): void {
    this.threadId = undefined;
    byId("thread-id").textContent = how;
    this.nameSubject();
    byId("message-count").textContent = "–";
    this.look.disabled = true;
    this.remove.disabled = true;
    document.body.classList.remove("connected");
    changeSession({ threadId: undefined });
    this.countdown.stop();
    this.parts.onThread(undefined);
  }
}
