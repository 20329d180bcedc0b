import type { Safety } from "../../../client/client.js";
import { AnswerParts, type Kind } from "../answer-parts.ts";
import { byId, create } from "./elements.ts";
import { interrupt, say } from "./speech.ts";

const LABELS: Record<Kind, { shown: string; name: string }> = {
  emergency: { shown: "⚠ Emergency", name: "emergency: whom to call" },
  crisis: { shown: "♥ Crisis", name: "crisis: whom to call" },
  caution: { shown: "⚠ Caution", name: "caution: ask before taking this drug" },
};

/** The messages of the conversation, and what the page has to say between them. */
export class Conversation {
  private readonly log = byId("conversation");

  /** Shows what the user says. */
  addQuestion(text: string): void {
    this.append(create("div", "message user", speaker("You"), create("div", "text", text)));
  }

  /** Makes place for an answer. */
  addAnswer(): AnswerView {
    const view = new AnswerView();
    this.append(view.element);
    return view;
  }

  /** Says something that no one of the two has said; what failed is heard at once. */
  addNotice(text: string, { failure = false, action }: { failure?: boolean; action?: HTMLElement } = {}): HTMLElement {
    const notice = create(
      "div",
      failure ? "notice failure" : "notice",
      create("p", "", text),
      ...(action ? [action] : []),
    );
    this.append(notice);
    (failure ? interrupt : say)(text);
    return notice;
  }

  private append(element: HTMLElement): void {
    this.log.append(element);
    element.scrollIntoView({ block: "nearest" });
  }
}

/** An answer as it arrives. */
export class AnswerView {
  readonly element = create("div", "message assistant", speaker("Assistant"));
  private readonly content = create("div");
  private readonly parts = new AnswerParts();
  private heard = 0;

  constructor() {
    this.element.append(this.content);
  }

  /** Takes what the safety layer has found; it says what the next piece is. */
  noteSafety(safety: Safety): void {
    this.parts.noteSafety(safety);
  }

  /** Takes the next piece. An alert's fixed text and a caution are announced at once, the rest when it is complete. */
  push(piece: string): void {
    this.parts.push(piece);
    this.render();
  }

  /** The answer is complete. */
  finish(): void {
    const rest = this.parts.all.filter(({ kind }) => !kind);
    if (rest.length > 0) {
      say(`Assistant: ${rest.map(({ text }) => text).join(" ")}`);
    }
  }

  /** No more of it will come; what has come is marked as a part. */
  breakOff(): void {
    this.element.classList.add("unfinished");
    this.element.append(
      create("p", "muted", this.parts.all.length === 0 ? "No answer yet." : "The rest has not come."),
    );
  }

  /** Takes it back. */
  remove(): void {
    this.element.remove();
  }

  private render(): void {
    this.content.replaceChildren(
      ...this.parts.all.map(({ kind, text }) => {
        if (!kind) {
          return create("div", "text", text);
        }
        const box = create("div", `alert ${kind}`, create("p", "label", LABELS[kind].shown), text);
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", LABELS[kind].name);
        return box;
      }),
    );
    this.announce();
  }

  /** Announces what stands out and is new, and scrolls to it. */
  private announce(): void {
    const prominent = this.parts.all.filter(({ kind }) => kind);
    const latest = prominent.at(-1)?.kind;
    if (prominent.length > this.heard) {
      this.heard = prominent.length;
      // Several cautions arrive at once, and the last one must not silence the others.
      const texts = prominent.filter(({ kind }) => kind === latest).map(({ text }) => text);
      interrupt(texts.join(" "));
      // The beginning of an alert must be visible, because it says whom to call.
      const isAlert = prominent.some(({ kind }) => kind !== "caution");
      this.element.scrollIntoView({ block: isAlert ? "start" : "end" });
    } else if (prominent.length === 0) {
      this.element.scrollIntoView({ block: "nearest" });
    }
  }
}

function speaker(name: string): HTMLElement {
  return create("p", "speaker", name);
}
