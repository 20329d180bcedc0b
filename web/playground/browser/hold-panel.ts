import { ApiError, type GetHandoffResult, type HealthAssistantClient } from "../../../packages/client/client.js";
import type { Conversation } from "./conversation.ts";
import { byId } from "./elements.ts";
import { MessageField } from "./message-field.ts";
import { Modal } from "./modal.ts";
import { say } from "./speech.ts";
import type { ThreadPanel } from "./thread-panel.ts";

/** The code of the error of a message on a thread that somebody has given back. */
const NOT_HELD = "thread-not-held";

/** As whom the user writes while a person has taken over. */
type Side = "person" | "patient";

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  conversation: Conversation;
  thread: ThreadPanel;
}

/** Puts the thread into the hands of a person, sends what that person writes, and gives the thread back. */
export class HoldPanel {
  private readonly parts: PanelParts;
  private readonly takeOver = byId<HTMLButtonElement>("take-over");
  private readonly name = byId<HTMLInputElement>("hold-name");
  private readonly panel = byId("hold");
  private readonly sides = [...this.panel.querySelectorAll("input")];
  private readonly field = new MessageField("person-message", (content) => this.send(content));
  private readonly modal = new Modal("hold-dialog");
  private threadId: string | undefined;
  /** Who has taken over; undefined while the assistant answers. */
  private by: string | undefined;
  /** Whether something is under way. */
  isBusy = false;

  constructor(parts: PanelParts) {
    this.parts = parts;
    this.takeOver.addEventListener("click", () => parts.clientOf() && this.modal.open());
    byId("hold-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.modal.run(() => this.hold());
    });
    byId("give-back").addEventListener("click", () => this.giveBack());
    this.panel.addEventListener("change", ({ target }) => {
      this.writeAs((target as HTMLInputElement).value as Side);
    });
  }

  /** Follows to the thread that is shown now, which nobody holds as far as is known. */
  follow(threadId: string | undefined): void {
    if (threadId !== this.threadId) {
      this.threadId = threadId;
      this.takeOver.disabled = !threadId;
      this.field.value = "";
      this.modal.close();
      this.show(undefined);
    }
  }

  /** Shows who holds the thread, as the service says. */
  read(hold: GetHandoffResult["hold"]): void {
    const by = hold ? (hold.by ?? "A person") : undefined;
    if (by === this.by) {
      return;
    }
    if (by) {
      this.begin(by);
    } else {
      this.end();
    }
  }

  private async hold(): Promise<void> {
    const { clientOf, thread } = this.parts;
    const { threadId } = this;
    const client = threadId && clientOf();
    if (!client) {
      return;
    }
    const by = this.name.value.trim();
    this.isBusy = true;
    try {
      await client.holdThread(threadId, { by });
    } catch (error) {
      if (thread.endedBy(error)) {
        return;
      }
      throw error;
    } finally {
      this.isBusy = false;
    }
    if (threadId === this.threadId) {
      this.modal.close();
      this.begin(by);
      this.field.focus();
    }
  }

  private giveBack(): Promise<void> {
    return this.ask(async (client, threadId) => {
      await client.returnThread(threadId);
      if (threadId === this.threadId) {
        this.end();
        byId("message").focus(); // the button that had the focus is hidden
      }
    });
  }

  private send(content: string): Promise<void> {
    return this.ask(async (client, threadId, author) => {
      this.field.value = "";
      try {
        const { message, messageCount, expiresAt } = await client.addMessage(threadId, { content, author });
        if (threadId === this.threadId) {
          this.parts.thread.lastMessageId = message.id;
          this.parts.conversation.addPersonMessage(message);
          this.parts.thread.show(threadId, messageCount, expiresAt);
          say("Sent.");
        }
      } catch (error) {
        if (threadId === this.threadId) {
          this.field.value ||= content;
        }
        throw error;
      }
    });
  }

  /** Until a request ends, there is no second one. */
  private async ask(
    request: (client: HealthAssistantClient, threadId: string, by: string) => Promise<void>,
  ): Promise<void> {
    const { threadId, by, isBusy } = this;
    const client = threadId && by && !isBusy && this.parts.clientOf();
    if (!client) {
      return;
    }
    this.isBusy = true;
    try {
      await request(client, threadId, by);
    } catch (error) {
      if (error instanceof ApiError && error.code === NOT_HELD && threadId === this.threadId) {
        this.show(undefined);
      }
      this.parts.thread.explain(threadId, error);
    } finally {
      this.isBusy = false;
    }
  }

  private end(): void {
    const { by } = this;
    this.show(undefined);
    this.parts.conversation.addNotice(`${by} has given the thread back. The assistant answers again.`);
  }

  private begin(by: string): void {
    this.show(by);
    this.parts.conversation.addNotice(
      `${by} has taken over. The assistant does not answer until the thread is given back.`,
    );
  }

  private show(by: string | undefined): void {
    this.by = by;
    this.parts.thread.holds++;
    this.panel.hidden = !by;
    this.takeOver.hidden = Boolean(by);
    byId("held-by").textContent = by ?? "";
    this.writeAs(by ? "person" : "patient");
  }

  /** Shows the field of one side: what is typed as the other one is kept. */
  private writeAs(side: Side): void {
    for (const choice of this.sides) {
      choice.checked = choice.value === side;
    }
    byId("reply").hidden = side !== "person";
    byId("composer").hidden = side === "person";
    byId("prompts").hidden = side === "person";
  }
}
