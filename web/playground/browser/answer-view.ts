import type { Safety } from "../../../client/client.js";
import { AnswerParts, type Kind } from "../answer-parts.ts";
import { splitPhoneNumbers } from "../phone-numbers.ts";
import { safetySummary } from "../safety-summary.ts";
import { byId, create, icon, scrollTo } from "./elements.ts";
import { link, markdown, withPhoneLinks } from "./markdown.ts";
import { interrupt, say } from "./speech.ts";

const LABELS: Record<Kind, { shown: string; name: string }> = {
  emergency: { shown: "Emergency", name: "emergency: whom to call" },
  crisis: { shown: "Crisis", name: "crisis: whom to call" },
  caution: { shown: "Caution", name: "caution: ask before taking this drug" },
};

/** An answer as it arrives. */
export class AnswerView {
  readonly element = create("div", "message assistant", create("p", "speaker", "Assistant"));
  private readonly content = create("div", "content");
  private readonly footer = create("div", "footer");
  private readonly typing = typingIndicator();
  private parts = new AnswerParts();
  /** Alerts and cautions of an attempt that failed, shown until the next one brings its own. */
  private kept: HTMLElement[] = [];
  private heard = 0;

  constructor() {
    this.element.append(this.content, this.typing, this.footer);
  }

  /** Takes what the safety layer has found; it says what the next piece is. */
  noteSafety(safety: Safety): void {
    this.parts.noteSafety(safety);
    const { text, tone } = safetySummary(safety);
    this.footer.replaceChildren(create("p", `safety ${tone}`, icon("check"), text));
  }

  /** Takes the next piece. An alert's fixed text and a caution are announced at once, the rest when it is complete. */
  push(piece: string): void {
    this.parts.push(piece);
    this.render();
  }

  /** The answer is complete. */
  finish(): void {
    this.typing.remove();
    this.kept = [];
    this.render();
    const rest = [...this.content.querySelectorAll(".text")].map((element) => element.textContent);
    if (rest.length > 0) {
      say(`Assistant: ${rest.join(" ").trim()}`);
    }
  }

  /** No more of it will come; what has come is marked as a part. */
  breakOff(): void {
    this.typing.remove();
    this.element.classList.add("unfinished");
    this.footer.append(create("p", "muted", this.parts.all.length === 0 ? "No answer yet." : "The rest has not come."));
  }

  /**
   * Takes back the model's words, which were not stored. Alerts and cautions stay: whoever has seen whom to call must not
   * lose it because something else failed.
   */
  takeBack(): void {
    this.typing.remove();
    this.footer.replaceChildren();
    this.kept = this.prominent();
    this.parts = new AnswerParts();
    this.render();
    if (this.kept.length === 0) {
      this.element.remove();
    }
  }

  /** Begins again, for another attempt, at the end of the log. */
  restart(): void {
    this.takeBack();
    this.heard = 0;
    this.element.classList.remove("unfinished");
    this.content.after(this.typing);
    byId("conversation").append(this.element);
    scrollTo(this.element, "end");
  }

  private prominent(): HTMLElement[] {
    return [...this.content.querySelectorAll<HTMLElement>(".alert")];
  }

  private render(): void {
    const elements = this.parts.all.map(({ kind, text }) => {
      if (kind) {
        return alertBox(kind, text);
      }
      return create("div", "text", markdown(text));
    });
    const renewed = this.parts.all.some(({ kind }) => kind);
    this.content.replaceChildren(...(renewed ? [] : this.kept), ...elements);
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
      scrollTo(this.element, isAlert ? "start" : "end");
    } else if (prominent.length === 0) {
      scrollTo(this.element, "end");
    }
  }
}

/** What stands out: a fixed text with whom to call, or a caution. */
function alertBox(kind: Kind, text: string): HTMLElement {
  const { shown, name } = LABELS[kind];
  const body = create("div", "body", ...(kind === "caution" ? [text] : withPhoneLinks(text, true)));
  body.dir = "auto";
  const box = create("div", `alert ${kind}`, create("p", "label", icon(kind), shown), body);
  const number = kind === "caution" ? undefined : splitPhoneNumbers(text, true).find(({ href }) => href);
  if (number?.href) {
    box.append(create("p", "call", link(number.href, icon("phone"), `Call ${number.text}`)));
  }
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  return box;
}

function typingIndicator(): HTMLElement {
  const dots = create("span", "dots", create("span"), create("span"), create("span"));
  dots.setAttribute("aria-hidden", "true");
  return create("p", "typing", dots, create("span", "heard", "The assistant is answering."));
}
