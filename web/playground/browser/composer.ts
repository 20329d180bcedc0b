import type { ApiError, ChatRequest, HealthAssistantClient, ThreadMessage } from "../../../client/client.js";
import { SAMPLE_PROMPTS, SAMPLE_SOURCE } from "../samples.ts";
import type { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { button, byId, create } from "./elements.ts";
import { modelRequest } from "./model-request.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";
import type { ThreadPanel } from "./thread-panel.ts";

/**
 * After these, the service may have stored the turn: no complete response, a first attempt still running, a gateway's
 * timeout.
 */
const UNCERTAIN = [0, 409, 502, 503, 504];

/** A message under way, or one that can be sent again. */
interface Turn {
  message: string;
  /** The same for each attempt, so that a turn that was stored is returned again, and not stored twice. */
  idempotencyKey: string;
  view: AnswerView;
  /** The conversation's, when the message was sent. */
  generation: number;
}

interface ComposerParts {
  clientOf: () => HealthAssistantClient | undefined;
  conversation: Conversation;
  thread: ThreadPanel;
}

/** Sends messages, one at a time, and shows the answers as they arrive. */
export class Composer {
  /** Whether the offline model of `npm start` answers; then each of its answers shows what a real one would receive. */
  offlineModel = false;
  private readonly parts: ComposerParts;
  private readonly field = byId<HTMLTextAreaElement>("message");
  private readonly send = byId<HTMLButtonElement>("send");
  private readonly stop = byId<HTMLButtonElement>("stop");
  private readonly retry = byId<HTMLButtonElement>("retry");
  private abort: AbortController | undefined;
  private failed: Turn | undefined;

  constructor(parts: ComposerParts) {
    this.parts = parts;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.begin();
      }
    });
    // Stop takes the place of Send, and must not get the second click of a double click.
    this.stop.addEventListener("click", ({ detail }) => detail > 1 || this.abort?.abort());
    this.retry.addEventListener("click", () => this.again());
    byId("prompts").append(...SAMPLE_PROMPTS.map(({ label, text }) => this.sampleButton(label, text)));
  }

  /** Whether a message is under way, or one that failed can be sent again. */
  get isPending(): boolean {
    return this.abort !== undefined || this.failed !== undefined;
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

  /** Forgets the message that is under way or failed: the conversation is being closed. */
  reset(): void {
    this.failed = undefined;
    this.retry.hidden = true;
    this.abort?.abort();
  }

  /** Forgets also what was typed. */
  clear(): void {
    this.reset();
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
      this.begin(prepare);
    });
    element.append(" ", prompt);
    element.setAttribute("aria-label", `${label}: ${text}`);
    element.title = text;
    return element;
  }

  /** Sends what is in the field; opens a thread first if there is none. */
  private async begin(prepare = async () => {}): Promise<void> {
    const message = this.field.value;
    if (message.trim() === "" || this.abort) {
      return;
    }
    const { conversation, thread } = this.parts;
    const { signal } = this.busy();
    try {
      await thread.restore();
      const threadId = thread.threadId ?? (await thread.open(signal));
      await prepare();
      if (threadId && !signal.aborted) {
        this.field.value = "";
        conversation.addQuestion(message);
        const view = conversation.addAnswer();
        await this.play({ message, idempotencyKey: newKey(), view, generation: conversation.generation }, threadId);
      }
    } finally {
      this.idle(); // whatever was thrown, the page can be used again
    }
  }

  /** Sends the last message once more. */
  private async again(): Promise<void> {
    const { failed, parts } = this;
    const { threadId } = parts.thread;
    if (!failed || this.abort) {
      return;
    }
    if (!threadId) {
      this.giveBack(failed);
      return;
    }
    this.busy();
    failed.view.restart();
    await this.play(failed, threadId);
  }

  /** A message whose thread is gone meanwhile is put back into the field, for a new one. */
  private giveBack({ message }: Turn): void {
    this.failed = undefined;
    this.field.value ||= message;
    this.parts.conversation.addNotice("The thread of this message is gone. Send it again to open a new one.");
    this.field.focus();
    this.idle();
  }

  private async play(turn: Turn, threadId: string): Promise<void> {
    const client = this.parts.clientOf();
    const signal = this.abort?.signal;
    try {
      if (!client || !signal) {
        turn.view.takeBack();
        this.fail(turn, "The message was not sent: there is no key.");
        return;
      }
      const { message, idempotencyKey, view } = turn;
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
            view.addBelow(this.parts.thread.footerOf({ id: ids.assistant, ...origin(view.hasWords ? mark : null) }));
          } else {
            this.fail(turn, "The answer could not be stored in the thread. Retry to have it there.");
          }
        }
      }
      const request = this.offlineModel && mark !== null && view.hasWords ? await modelRequest(message) : undefined;
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
    if (this.parts.thread.endedBy(error)) {
      turn.view.takeBack();
      return;
    }
    const { status = 0 } = error as Partial<ApiError>;
    if (status === 0) {
      turn.view.breakOff();
    } else {
      turn.view.takeBack();
    }
    const hint = UNCERTAIN.includes(status)
      ? "The turn may be stored all the same. Retry sends it with the same Idempotency-Key, so it is not done twice."
      : "Nothing was stored. Retry sends the message again, with the same Idempotency-Key.";
    this.fail(turn, `${failureText(error)} ${hint}`);
  }

  private fail(turn: Turn, text: string, failure = true): void {
    this.failed = turn;
    this.parts.conversation.addNotice(text, { failure });
  }

  private busy(): AbortController {
    this.failed = undefined;
    const abort = new AbortController();
    const hadFocus = [this.send, this.retry].includes(document.activeElement as HTMLButtonElement);
    this.abort = abort;
    this.send.disabled = true;
    this.stop.hidden = false;
    this.retry.hidden = true;
    if (hadFocus) {
      this.stop.focus();
    }
    say("Sent. The assistant answers.");
    return abort;
  }

  private idle(): void {
    const hadFocus = document.activeElement === this.stop;
    this.abort = undefined;
    this.send.disabled = false;
    this.stop.hidden = true;
    this.retry.hidden = this.failed === undefined;
    if (hadFocus) {
      (this.failed ? this.retry : this.field).focus();
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
