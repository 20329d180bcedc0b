import type { ApiError, ChatRequest, HealthAssistantClient, ThreadMessage } from "../../../packages/client/client.js";
import { SAMPLE_PROMPTS, SAMPLE_SOURCE } from "../samples.ts";
import type { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { button, byId, create } from "./elements.ts";
import { MessageField } from "./message-field.ts";
import { failureText, isGone } from "./service.ts";
import { changeSession } from "./session.ts";
import { say } from "./speech.ts";
import type { ThreadPanel } from "./thread-panel.ts";

/**
 * After these, the service may have stored the turn: no complete response, a first attempt still running, a gateway's
 * timeout.
 */
const UNCERTAIN = [0, 409, 502, 503, 504];

const RECORD_CONSENT = "Record the consent first: “Edit the record” in the menu beside the patient. ";

/** A message under way, or one that can be sent again. */
interface Turn {
  message: string;
  /** The same for each attempt, so that a turn that was stored is returned again, and not stored twice. */
  idempotencyKey: string;
  question: HTMLElement;
  view: AnswerView;
  /** The conversation's, when the message was sent. */
  generation: number;
}

interface ComposerParts {
  clientOf: () => HealthAssistantClient | undefined;
  conversation: Conversation;
  thread: ThreadPanel;
  /** What a real model would receive for a message that was answered last, if that is known. */
  modelRequestOf: (message: string) => Promise<HTMLElement | undefined>;
}

/** Sends messages, one at a time, and shows the answers as they arrive. */
export class Composer {
  private readonly parts: ComposerParts;
  private readonly field: MessageField;
  private readonly send = byId<HTMLButtonElement>("send");
  private readonly stop = byId<HTMLButtonElement>("stop");
  private abort: AbortController | undefined;
  /** Stops the turn that is under way; undefined before it is sent, and once that was asked for. */
  private stopTurn: (() => Promise<unknown>) | undefined;
  /** The messages that failed, each with the notice that has its Retry, in the order in which they did. */
  private readonly failed = new Map<Turn, HTMLElement>();
  /** The turn that was sent last. */
  private latest: Turn | undefined;
  /** What was sent before there is a thread for it. */
  private unsent = "";

  constructor(parts: ComposerParts) {
    this.parts = parts;
    this.field = new MessageField("message", (message) => this.begin(message));
    // Stop takes the place of Send, and must not get the second click of a double click.
    this.stop.addEventListener("click", ({ detail }) => detail > 1 || void this.end());
    byId("prompts").append(...SAMPLE_PROMPTS.map(({ label, text }) => this.sampleButton(label, text)));
  }

  /** Whether a message is under way, or the last one failed and can be sent again. */
  get isPending(): boolean {
    return this.abort !== undefined || (this.latest !== undefined && this.failed.has(this.latest));
  }

  /**
   * Adds the sample prompt that is answered from a source, which is stored if there is none. For `npm start` only: what
   * an organization tells its patients is not for a page to change.
   */
  offerSources(): void {
    const { id, source, label, text } = SAMPLE_SOURCE;
    const { clientOf, conversation } = this.parts;
    const store = async () => {
      try {
        const client = clientOf();
        if (client && (await client.listSources()).sources.length === 0) {
          await client.putSource(id, source);
          conversation.addNotice(`The source “${source.title}” was stored, from which the answer is taken.`);
        }
      } catch (error) {
        conversation.addNotice(failureText(error), { failure: true });
      }
    };
    byId("prompts").append(this.sampleButton(label, text, store));
  }

  /**
   * Stops what is under way: a turn by the service, which ends the model's request and stores what has arrived, so that
   * the stream ends by itself. Where that is not possible, this page stops to wait for it.
   */
  private async end(): Promise<void> {
    const { abort, stopTurn } = this;
    this.stopTurn = undefined;
    this.stop.textContent = "Stopping …";
    await (stopTurn?.() ?? Promise.reject()).catch(() => abort?.abort());
  }

  /** Whether a message is on this page only. */
  get isUnsent(): boolean {
    return this.unsent !== "";
  }

  /** Forgets the messages that are under way or failed: the conversation is being closed. */
  reset(): void {
    this.failed.clear();
    this.abort?.abort();
  }

  /** Forgets also what was typed. */
  clear(): void {
    this.reset();
    this.unsent = "";
    this.field.value = "";
  }

  /** @param prepare what the prompt needs */
  private sampleButton(label: string, text: string, prepare = async () => {}): HTMLElement {
    const prompt = create("span", "", text);
    prompt.dir = "auto";
    const element = button(create("strong", "", label), () => {
      if (this.abort) {
        return;
      }
      this.field.value = text;
      this.field.focus();
      this.begin(text, prepare);
    });
    element.append(" ", prompt);
    element.setAttribute("aria-label", `${label}: ${text}`);
    element.title = text;
    return element;
  }

  /** Sends a message; opens a thread first if there is none. */
  private async begin(message: string, prepare = async () => {}): Promise<void> {
    if (this.abort) {
      return;
    }
    const { clientOf, conversation, thread } = this.parts;
    if (!clientOf()) {
      return;
    }
    const { signal } = this.busy();
    this.field.value = "";
    this.unsent = message;
    let question = conversation.addQuestion(message);
    try {
      await thread.restore();
      const threadId = thread.threadId ?? (await thread.open(signal));
      await prepare();
      question.remove();
      if (threadId && !signal.aborted) {
        question = conversation.addQuestion(message); // below what was shown meanwhile
        const view = conversation.addAnswer();
        this.unsent = "";
        const { generation } = conversation;
        await this.play({ message, idempotencyKey: newKey(), question, view, generation }, threadId);
      }
    } finally {
      this.takeBackUnsent(question);
      this.idle(); // whatever was thrown, the page can be used again
    }
  }

  /** Puts what could not be sent back into the field, before what was typed meanwhile. */
  private takeBackUnsent(question: HTMLElement): void {
    if (this.unsent) {
      question.remove();
      this.field.value = [this.unsent, this.field.value].filter(Boolean).join("\n");
      this.unsent = "";
    }
  }

  /** Sends a message once more. */
  private async again(turn: Turn): Promise<void> {
    const { threadId } = this.parts.thread;
    const notice = this.failed.get(turn);
    if (!notice || this.abort) {
      return;
    }
    this.failed.delete(turn);
    if (!threadId) {
      notice.remove();
      this.giveBack(turn);
      return;
    }
    this.busy(notice);
    notice.remove();
    turn.view.restart(turn.question);
    await this.play(turn, threadId);
  }

  /** A message whose thread is gone meanwhile is put back into the field, for a new one. */
  private giveBack({ message }: Turn): void {
    this.field.value ||= message;
    this.parts.conversation.addNotice("The thread of this message is gone. Send it again to open a new one.");
    this.field.focus();
    this.idle();
  }

  private async play(turn: Turn, threadId: string): Promise<void> {
    const client = this.parts.clientOf();
    const signal = this.abort?.signal;
    this.latest = turn;
    changeSession({ isAnswering: true });
    try {
      if (!client || !signal) {
        turn.view.takeBack();
        this.fail(turn, "The message was not sent: there is no key.");
        return;
      }
      const { message, idempotencyKey, view } = turn;
      this.stopTurn = () => client.stopTurn(threadId, idempotencyKey);
      const chat: ChatRequest = { threadId, message, include: ["parts", "evidence", "ids", "handoff", "sources"] };
      let mark = null as string | null; // assigned when the answer begins
      const onHeaders = (headers: Headers) => {
        mark = headers.get("ai-disclosure");
      };
      for await (const event of client.streamChat(chat, { signal, idempotencyKey, onHeaders })) {
        if (!this.isOpen(turn)) {
          return;
        }
        if (event.event === "part") {
          view.begin(event.number, event.part);
        } else if (event.event === "delta") {
          view.push(event.part ?? 0, event.text);
        } else if (event.event === "safety") {
          view.noteSafety(event.safety);
        } else if (event.event === "handoff") {
          view.noteHandoff(event.handoff.reason);
        } else if (event.event === "done") {
          view.finish();
          const { ids, citations = [] } = event.response;
          view.cite(citations);
          if (ids) {
            this.parts.thread.lastMessageId = ids.assistant;
            view.addBelow(this.parts.thread.footerOf({ id: ids.assistant, ...origin(view.hasWords ? mark : null) }));
          } else {
            this.fail(turn, "The answer could not be stored in the thread. Retry to have it there.");
          }
        }
      }
      const request = mark !== null && view.hasWords ? await this.parts.modelRequestOf(message) : undefined;
      if (this.isOpen(turn)) {
        view.addBelow(request);
        await this.parts.thread.refresh();
      }
    } catch (error) {
      if (this.isOpen(turn)) {
        this.explain(turn, error, signal?.aborted === true);
      }
    } finally {
      this.idle();
    }
  }

  /** Whether the conversation in which the message was sent is still shown. */
  private isOpen({ generation }: Turn): boolean {
    return generation === this.parts.conversation.generation;
  }

  /** Says what failed, and what is to become of the turn. */
  private explain(turn: Turn, error: unknown, stopped: boolean): void {
    if (stopped) {
      turn.view.breakOff();
      this.fail(turn, "Stopped. The service finishes the turn by itself; Retry brings its answer.", false);
      return;
    }
    const { thread } = this.parts;
    if (thread.endedBy(error) || (isGone(error) && !thread.threadId)) {
      turn.view.takeBack(); // that the thread is gone has been said, maybe when its time was over
      return;
    }
    const { status = 0 } = error as Partial<ApiError>;
    if (status === 0) {
      turn.view.breakOff();
    } else {
      turn.view.takeBack();
    }
    const { code } = error as Partial<ApiError>;
    const hint = UNCERTAIN.includes(status)
      ? "The turn may be stored all the same. Retry sends it with the same Idempotency-Key, so it is not done twice."
      : `Nothing was stored. ${code === "consent-required" ? RECORD_CONSENT : ""}Retry sends the message again, with the same Idempotency-Key.`;
    this.fail(turn, `${failureText(error)} ${hint}`);
  }

  private fail(turn: Turn, text: string, failure = true): void {
    const action = button("Retry", () => this.again(turn));
    const after = turn.view.element.isConnected ? turn.view.element : turn.question;
    const notice = this.parts.conversation.addNotice(text, { failure, action, after });
    this.failed.set(turn, notice);
  }

  /** @param notice of the message that is sent again */
  private busy(notice?: HTMLElement): AbortController {
    const abort = new AbortController();
    const hadFocus = document.activeElement === this.send || notice?.contains(document.activeElement);
    this.abort = abort;
    this.send.disabled = true;
    this.stop.hidden = false;
    if (hadFocus) {
      this.stop.focus();
    }
    say("Sent. The assistant answers.");
    return abort;
  }

  private idle(): void {
    const hadFocus = document.activeElement === this.stop;
    this.abort = undefined;
    this.stopTurn = undefined;
    this.stop.textContent = "Stop";
    changeSession({ isAnswering: undefined });
    this.send.disabled = false;
    this.stop.hidden = true;
    if (hadFocus) {
      const retry = this.latest && this.failed.get(this.latest)?.querySelector("button");
      (retry ?? this.field).focus();
    }
  }
}

/** Who wrote an answer, by the header `ai-disclosure` of its response. */
function origin(mark: string | null): Pick<ThreadMessage, "generatedBy" | "model"> {
  const [, model = null] = /model="(.*)"/.exec(mark ?? "") ?? [];
  return { generatedBy: mark === null ? "service" : "ai", model };
}

/** Not `crypto.randomUUID`, which browsers offer only to pages from HTTPS or localhost. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
