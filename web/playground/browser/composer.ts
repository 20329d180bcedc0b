import type { ApiError, ChatRequest, HealthAssistantClient } from "../../../client/client.js";
import type { AnswerView, Conversation } from "./conversation.ts";
import { byId } from "./elements.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";
import type { ThreadPanel } from "./thread-panel.ts";

/** After these the service may have done its work: no whole answer, a try still at work, a gateway that gave up. */
const UNCERTAIN = [0, 409, 502, 503, 504];

/** A message under way, or one that can be sent again. */
interface Turn {
  message: string;
  /** The same for each try: so a turn that was stored is told again, and not done twice. */
  idempotencyKey: string;
  view: AnswerView;
}

interface ComposerParts {
  clientOf: () => HealthAssistantClient | undefined;
  conversation: Conversation;
  thread: ThreadPanel;
}

/** Sends messages, one at a time, and shows the answers as they arrive. */
export class Composer {
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
    this.stop.addEventListener("click", () => this.abort?.abort());
    this.retry.addEventListener("click", () => this.again());
  }

  /** Sends what is in the field; opens a thread first if there is none. */
  private async begin(): Promise<void> {
    const message = this.field.value;
    if (message.trim() === "" || this.abort) {
      return;
    }
    const { signal } = this.busy();
    try {
      const threadId = this.parts.thread.threadId ?? (await this.parts.thread.open(signal));
      if (threadId) {
        this.field.value = "";
        this.parts.conversation.addQuestion(message);
        await this.play({ message, idempotencyKey: newKey(), view: this.parts.conversation.addAnswer() }, threadId);
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
    this.stop.focus(); // the button that had the focus is gone now
    failed.view.remove();
    await this.play({ ...failed, view: parts.conversation.addAnswer() }, threadId);
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
        this.fail(turn, "The message was not sent: there is no key.");
        return;
      }
      const { message, idempotencyKey, view } = turn;
      const request: ChatRequest = { threadId, message, include: ["safety"] };
      for await (const event of client.streamChat(request, { signal, idempotencyKey })) {
        if (event.event === "delta") {
          view.push(event.text);
        } else if (event.event === "safety") {
          view.noteSafety(event.safety);
        } else {
          view.finish();
          if (event.response.threadId === undefined) {
            this.fail(turn, "The answer could not be stored in the thread. Retry to have it there.");
          }
        }
      }
      await this.parts.thread.refresh();
    } catch (error) {
      this.explain(turn, error, signal?.aborted === true);
    } finally {
      this.idle();
    }
  }

  /** Says what failed, and what is to become of the turn. */
  private explain(turn: Turn, error: unknown, stopped: boolean): void {
    if (stopped) {
      turn.view.breakOff();
      this.fail(turn, "Stopped. The service finishes the turn by itself; Retry brings its answer.", false);
      return;
    }
    if (this.parts.thread.endedBy(error)) {
      turn.view.remove();
      return;
    }
    const { status = 0 } = error as Partial<ApiError>;
    if (status === 0) {
      turn.view.breakOff();
    } else {
      turn.view.remove(); // what the model said before it failed is not stored, and does not count
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
    this.abort = abort;
    this.send.disabled = true;
    this.stop.hidden = false;
    this.retry.hidden = true;
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

/** `crypto.randomUUID` is kept from pages that come neither by HTTPS nor from this machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
