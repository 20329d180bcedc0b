import type {
  GetHandoffResult,
  HealthAssistantClient,
  ListMessagesResult,
  ThreadMessage,
} from "../../../packages/client/client.js";
import { nameOf } from "../chart.ts";
import { AnswerFooter } from "./answer-footer.ts";
import type { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { Countdown } from "./countdown.ts";
import { button, byId } from "./elements.ts";
import type { PatientPanel } from "./patient-panel.ts";
import { readPatient } from "./patient-reader.ts";
import type { Recorder } from "./recorder.ts";
import { failureText, isGone } from "./service.ts";
import { changeSession, keepFeedbackOn, readSession, type Session } from "./session.ts";

/** The messages that are read at once. */
const PAGE = 20;

/** How often the page looks for what was done elsewhere. */
const LOOK_MILLISECONDS = 3_000;

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  patient: PatientPanel;
  conversation: Conversation;
  recorder: Recorder;
  /** Called with the ID of the thread whenever one is shown, or undefined when it is closed or gone. */
  onThread: (threadId: string | undefined) => void;
  /** For what the page asks by itself every few seconds. */
  quietClientOf: () => HealthAssistantClient | undefined;
  modelRequestOf: (message: string) => Promise<HTMLElement | undefined>;
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
  /** Of what is shown. */
  lastMessageId: string | undefined;
  /** Increased when this page takes the thread over or gives it back: what was asked before is out of date. */
  holds = 0;
  private messageCount = 0;
  private isLooking = false;
  private opening: Promise<string | undefined> | undefined;
  private restoring: Promise<void> | undefined;
  /** Says that a message was under way when the page was left. */
  private underWay: HTMLElement | undefined;
  private readonly parts: PanelParts;
  private readonly remove = byId<HTMLButtonElement>("delete-thread");
  private readonly countdown: Countdown;
  private readonly note = byId("welcome-note");

  constructor(parts: PanelParts) {
    this.parts = parts;
    this.countdown = new Countdown(parts.recorder, () => this.refresh());
    byId("open-thread").addEventListener("click", () => this.open());
    setInterval(() => this.look(), LOOK_MILLISECONDS);
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
      keepFeedbackOn(threadId, undefined); // a thread that has expired may have had the same ID
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
      this.lastMessageId ??= message?.id;
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
      if (isGone(error)) {
        patient.show(undefined);
      }
      conversation.addNotice(failureText(error), { failure: true });
    }
  }

  /**
   * Shows what was done elsewhere: what a person or another tab has written, who has taken over, that the thread was
   * deleted. Not while a message is under way, or one that failed is only on this page; nor behind a dialog, in which the
   * patient may just be erased. Looking does not put off the thread's end.
   */
  private async look(): Promise<void> {
    const { threadId, lastMessageId, messageCount, holds } = this;
    const { conversation, quietClientOf, isPending, onHold } = this.parts;
    const client = quietClientOf();
    const isCovered = document.querySelector("dialog:modal") !== null;
    if (!threadId || !client || document.hidden || isCovered || this.isLooking || this.opening || isPending()) {
      return;
    }
    this.isLooking = true;
    const { generation } = conversation;
    const isSame = () =>
      generation === conversation.generation &&
      threadId === this.threadId &&
      messageCount === this.messageCount &&
      lastMessageId === this.lastMessageId &&
      holds === this.holds &&
      !isPending();
    try {
      const [{ thread }, { hold }] = await Promise.all([client.getThread(threadId), client.getHandoff(threadId)]);
      const newer = thread.messageCount === messageCount ? [] : await messagesAfter(client, threadId, lastMessageId);
      if (isSame()) {
        this.lastMessageId = newer.at(-1)?.id ?? lastMessageId;
        this.show(threadId, thread.messageCount, thread.expiresAt);
        if (newer.length > 0) {
          this.underWay?.remove();
        }
        conversation.addLater(newer, (message) => this.footerOf(message));
        onHold(hold);
      }
    } catch (error) {
      if (isSame()) {
        this.endedBy(error); // whatever else failed is tried again
      }
    } finally {
      this.isLooking = false;
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
    if (!isGone(error) || !this.threadId) {
      return false;
    }
    const { threadId } = this;
    this.end("expired or deleted");
    keepFeedbackOn(threadId, undefined);
    const again = button("Open a new thread", () => this.open());
    this.parts.conversation.addNotice(
      `${failureText(error)} Thread ${threadId} is gone with everything in it. A new thread starts empty.`,
      { failure: true, action: again },
    );
    return true;
  }

  private async readThread(threadId: string): Promise<void> {
    const { clientOf, conversation, patient, onHold } = this.parts;
    const client = clientOf();
    if (!client) {
      return;
    }
    const { generation } = conversation;
    const { isAnswering: wasAnswering } = readSession();
    changeSession({ isAnswering: undefined });
    try {
      const { thread } = await client.getThread(threadId);
      const subject = thread.patientId ? await readPatient(client, thread.patientId) : undefined;
      const stored = await Promise.all([
        client.listMessages(threadId, { limit: PAGE, include: "parts,safety" }),
        client.getHandoff(threadId),
      ]).catch(failureText);
      if (conversation.generation !== generation) {
        return;
      }
      patient.show(subject);
      this.show(threadId, thread.messageCount, thread.expiresAt);
      this.forgetNote();
      if (typeof stored === "string") {
        conversation.addNotice(`${stored} The earlier messages still count for the answers.`, { failure: true });
      } else {
        this.lastMessageId = stored[0].messages[0]?.id;
        this.showEarlier(stored[0]);
        await this.showModelRequest(stored[0].messages);
      }
      conversation.addNotice(`Thread ${threadId} continues, about ${subject ? nameOf(subject) : "no patient"}.`);
      if (wasAnswering) {
        this.underWay = conversation.addNotice(
          "A message was under way when this page was left. It appears here with its answer once both are stored.",
        );
      }
      if (typeof stored !== "string") {
        onHold(stored[1].hold);
      }
    } catch (error) {
      if (isGone(error)) {
        changeSession({ threadId: undefined });
        this.forgetNote();
      }
      conversation.addNotice(failureText(error), { failure: true });
    }
  }

  /** Shows below the last answer what a real model would receive for it. */
  private async showModelRequest(messages: readonly ThreadMessage[]): Promise<void> {
    const question = messages.find(({ role }) => role === "user");
    const footer = byId("conversation").querySelector(".message.assistant:last-child .footer");
    const request = footer && question && (await this.parts.modelRequestOf(question.content));
    footer?.append(...(request ? [request] : []));
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
        const page = await clientOf()?.listMessages(threadId, { limit: PAGE, before, include: "parts,safety" });
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
        keepFeedbackOn(threadId, undefined);
        conversation.addNotice(`${message}. Nothing of it is kept.`);
        byId("open-thread").focus(); // the button that had the focus is disabled now
      }
    } catch (error) {
      this.explain(threadId, error);
    }
  }

  private forgetNote(): void {
    this.note.hidden = true;
    this.note.textContent = "";
  }

  /** Shows the facts of a thread, which is the one that the page is about from now on. */
  show(threadId: string, messageCount: number, expiresAt: string): void {
    this.threadId = threadId;
    this.messageCount = messageCount;
    byId("thread-id").textContent = threadId;
    byId("message-count").textContent = String(messageCount);
    this.remove.disabled = false;
    document.body.classList.add("connected");
    changeSession({ threadId });
    this.countdown.start(expiresAt);
    this.parts.onThread(threadId);
  }

  private end(how: string): void {
    this.threadId = undefined;
    this.lastMessageId = undefined;
    byId("thread-id").textContent = how;
    byId("message-count").textContent = "–";
    this.remove.disabled = true;
    document.body.classList.remove("connected");
    changeSession({ threadId: undefined });
    this.countdown.stop();
    this.parts.onThread(undefined);
  }
}

/** All messages after one of them, oldest first. */
async function messagesAfter(
  client: HealthAssistantClient,
  threadId: string,
  id: string | undefined,
): Promise<ThreadMessage[]> {
  const newer: ThreadMessage[] = [];
  for (let before: string | undefined; ; before = newer.at(-1)?.id) {
    const page = await client.listMessages(threadId, {
      limit: PAGE,
      include: "parts,safety",
      ...(before && { before }),
    });
    for (const message of page.messages) {
      if (message.id === id) {
        return newer.toReversed();
      }
      newer.push(message);
    }
    if (!page.hasMore) {
      return newer.toReversed();
    }
  }
}
