import { type AlertTexts, answerParts, type Level } from "../alert-texts.ts";
import { byId, create } from "./elements.ts";
import { interrupt, say } from "./speech.ts";

/** The project's fixed texts, or the deployment's own; put in when the page is built (`web/build.ts`). */
declare const ALERT_TEXTS: AlertTexts;

const LABELS: Record<Level, string> = { emergency: "⚠ Emergency", crisis: "♥ Crisis" };

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
  private readonly heard = new Set<string>();
  private text = "";

  constructor() {
    this.element.append(this.content);
  }

  /** Takes the next piece. An alert's fixed text is heard at once, the rest when it is whole. */
  push(piece: string): void {
    this.text += piece;
    this.render();
  }

  /** The answer is whole; it may differ from the pieces, when it came without any. */
  finish(answer: string): void {
    this.text = answer;
    this.render();
    const rest = this.parts().filter(({ level }) => !level);
    say(`Assistant: ${rest.map(({ text }) => text).join(" ")}`);
  }

  /** No more will come of it; what has come is marked as a part. */
  breakOff(): void {
    this.element.classList.add("unfinished");
    this.element.append(create("p", "muted", this.text === "" ? "No answer yet." : "The rest has not come."));
  }

  /** Takes it back. */
  remove(): void {
    this.element.remove();
  }

  private parts() {
    return answerParts(this.text, ALERT_TEXTS);
  }

  private render(): void {
    const parts = this.parts();
    this.content.replaceChildren(
      ...parts.map(({ level, text }) => {
        if (!level) {
          return create("div", "text", text);
        }
        const box = create("div", `alert ${level}`, create("p", "label", LABELS[level]), text);
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", `${level}: whom to call`);
        return box;
      }),
    );
    const raised = parts.filter(({ level, text }) => level && !this.heard.has(text));
    for (const { text } of raised) {
      this.heard.add(text);
      interrupt(text);
    }
    // Of an alert the beginning is to be seen, which says whom to call; of other words those that have just come.
    if (raised.length > 0) {
      this.element.scrollIntoView({ block: "start" });
    } else if (this.heard.size === 0) {
      this.element.scrollIntoView({ block: "nearest" });
    }
  }
}

function speaker(name: string): HTMLElement {
  return create("p", "speaker", name);
}
