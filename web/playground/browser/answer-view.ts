import type { ChatResult, Safety } from "../../../client/client.js";
import { AnswerParts, type Kind } from "../answer-parts.ts";
import { splitPhoneNumbers } from "../phone-numbers.ts";
import { safetySummary } from "../safety-summary.ts";
import { byId, create, icon, scrollTo } from "./elements.ts";
import { GrowingMarkdown } from "./growing-markdown.ts";
import { link, withPhoneLinks } from "./markdown.ts";
import { interrupt, say } from "./speech.ts";

type HandoffReason = NonNullable<ChatResult["handoff"]>["reason"];

/** What stands above a fixed text; the text of a caution begins with that word itself. */
const LABELS: Record<Kind, { shown?: string; name: string }> = {
  emergency: { shown: "Emergency", name: "emergency: whom to call" },
  crisis: { shown: "Crisis", name: "crisis: whom to call" },
  caution: { name: "caution: ask before taking this drug" },
};

const NEEDED: Record<HandoffReason, string> = {
  asked: "the user asked for one",
  unable: "the assistant cannot help",
  crisis: "there is a crisis",
  emergency: "there is an emergency",
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
  /** What the parts are shown by, in their order; undefined for an alert or a caution, which does not grow. */
  private shown: (GrowingMarkdown | undefined)[] = [];
  private heard = 0;
  /** That a person is needed, and why; "" if none is. */
  private handoff = "";
  private frame: number | undefined;

  constructor() {
    this.element.append(this.content, this.typing, this.footer);
  }

  /** Takes what the safety layer has found; it says what the next piece is. */
  noteSafety(safety: Safety): void {
    this.parts.noteSafety(safety);
    const { text, tone } = safetySummary(safety);
    this.footer.replaceChildren(create("p", `safety ${tone}`, icon("check"), text));
  }

  /** Takes why a person is needed. */
  noteHandoff(reason: HandoffReason): void {
    this.handoff = `A person is needed: ${NEEDED[reason]}.`;
    this.footer.append(create("p", "handoff", icon("person"), this.handoff));
  }

  /**
   * Takes the next piece. An alert's fixed text and a caution are shown and announced at once. The model's words, whose
   * pieces can arrive faster than they can be shown, appear with the next frame, and are announced when they are complete.
   */
  push(piece: string): void {
    this.parts.push(piece);
    if (this.parts.all.at(-1)?.kind) {
      this.render();
    } else {
      this.frame ??= requestAnimationFrame(() => this.render());
    }
  }

  /** The answer is complete. */
  finish(): void {
    this.typing.remove();
    this.dropKept();
    this.render();
    const rest = [...this.content.querySelectorAll(".text")].map((element) => element.textContent);
    const answer = rest.length > 0 ? `Assistant: ${rest.join(" ").trim()} ` : "";
    if (answer || this.handoff) {
      say((answer + this.handoff).trim());
    }
  }

  /** Whether the answer has words that are neither an alert nor a caution. */
  get hasWords(): boolean {
    return this.parts.all.some(({ kind }) => !kind);
  }

  /** Puts something below the answer. */
  addBelow(element: HTMLElement | undefined): void {
    this.footer.append(...(element ? [element] : []));
    if (!this.hasAlert) {
      scrollTo(this.element, "end");
    }
  }

  /** No more of it will come; what has come is marked as a part. */
  breakOff(): void {
    this.typing.remove();
    this.render();
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
    this.render();
    this.kept = this.prominent();
    this.parts = new AnswerParts();
    this.handoff = "";
    this.shown = [];
    this.content.replaceChildren(...this.kept);
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

  private get hasAlert(): boolean {
    return this.parts.all.some(({ kind }) => kind === "emergency" || kind === "crisis");
  }

  private prominent(): HTMLElement[] {
    return [...this.content.querySelectorAll<HTMLElement>(".alert")];
  }

  /** Shows what is new: parts that have begun, and more of the last one. */
  private render(): void {
    if (this.frame !== undefined) {
      cancelAnimationFrame(this.frame);
      this.frame = undefined;
    }
    if (this.parts.all.some(({ kind }) => kind)) {
      this.dropKept();
    }
    for (const [index, { kind, text }] of this.parts.all.entries()) {
      if (index === this.shown.length) {
        const words = new GrowingMarkdown();
        this.content.append(kind ? alertBox(kind, text) : words.element);
        this.shown.push(kind ? undefined : words);
      }
      this.shown[index]?.show(text);
    }
    this.announce();
  }

  private dropKept(): void {
    for (const element of this.kept) {
      element.remove();
    }
    this.kept = [];
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
      scrollTo(this.element, this.hasAlert ? "start" : "end");
    } else if (prominent.length === 0) {
      scrollTo(this.element, "end");
    }
  }
}

/** What stands out: a fixed text with whom to call, or a caution. */
export function alertBox(kind: Kind, text: string): HTMLElement {
  const { shown, name } = LABELS[kind];
  const body = create("div", "body", ...(kind === "caution" ? [icon(kind), text] : withPhoneLinks(text, true)));
  body.dir = "auto";
  const box = create("div", `alert ${kind}`, ...(shown ? [create("p", "label", icon(kind), shown)] : []), body);
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
