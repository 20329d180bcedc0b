import type { AnswerPart, ChatResult, Safety } from "../../../packages/client/client.js";
import { splitPhoneNumbers } from "../phone-numbers.ts";
import { safetySummary } from "../safety-summary.ts";
import { addCitations, type Citation } from "./citations.ts";
import { create, icon } from "./elements.ts";
import { GrowingMarkdown } from "./growing-markdown.ts";
import { link, withPhoneLinks } from "./markdown.ts";
import { follow, note, scrollTo } from "./scrolling.ts";
import { interrupt, say } from "./speech.ts";

type HandoffReason = NonNullable<ChatResult["handoff"]>["reason"];

/** The parts that stand out from the others. */
type Prominent = Extract<AnswerPart, { kind: "alert" | "caution" }>;

/** What stands above a fixed text; the text of a caution begins with that word itself. */
const LABELS: Record<"emergency" | "crisis" | "caution", { shown?: string; name: string }> = {
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
  /** By their numbers, in their order. */
  private parts = new Map<number, AnswerPart>();
  /** Alerts and cautions of an attempt that failed, shown until the next one brings its own. */
  private kept: HTMLElement[] = [];
  /** What shows a part, by its number. */
  private shown = new Map<number, GrowingMarkdown | HTMLElement>();
  private heard = 0;
  /** That a person is needed, and why; "" if none is. */
  private handoff = "";
  private frame: number | undefined;

  constructor() {
    this.element.append(this.content, this.typing, this.footer);
  }

  /** Takes what the safety layer has found. */
  noteSafety(safety: Safety): void {
    this.footer.replaceChildren(safetyLine(safety));
  }

  /** Takes why a person is needed. */
  noteHandoff(reason: HandoffReason): void {
    this.handoff = `A person is needed: ${NEEDED[reason]}.`;
    this.footer.append(create("p", "handoff", icon("person"), this.handoff));
  }

  /** Takes a part whose text is about to arrive. */
  begin(number: number, part: AnswerPart): void {
    this.parts.set(number, part);
  }

  /**
   * Takes the next piece. An alert's fixed text and a caution are shown and announced at once. The model's words, whose
   * pieces can arrive faster than they can be shown, appear with the next frame, and are announced when they are
   * complete.
   */
  push(number: number, text: string): void {
    const part = this.parts.get(number) as AnswerPart;
    part.text += text;
    if (isProminent(part)) {
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

  /** Shows the passages that the complete answer cites. */
  cite(citations: readonly Citation[]): void {
    addCitations(citations, this.content);
  }

  /** Whether the answer has words of the model. */
  get hasWords(): boolean {
    return this.all.some(({ kind }) => kind === "words");
  }

  /** Puts something below the answer. */
  addBelow(element: HTMLElement | undefined): void {
    this.footer.append(...(element ? [element] : []));
    if (this.hasAlert) {
      note();
    } else {
      follow(this.element);
    }
  }

  /** No more of it will come; what has come is marked as a part. */
  breakOff(): void {
    this.typing.remove();
    this.render();
    this.element.classList.add("unfinished");
    this.footer.append(create("p", "muted", this.parts.size === 0 ? "No answer yet." : "The rest has not come."));
  }

  /**
   * Takes back the model's words, which were not stored. Alerts and cautions stay: whoever has seen whom to call must
   * not lose it because something else failed.
   */
  takeBack(): void {
    this.typing.remove();
    this.footer.replaceChildren();
    this.render();
    this.kept = this.prominent();
    this.parts = new Map();
    this.handoff = "";
    this.shown = new Map();
    this.content.replaceChildren(...this.kept);
    this.render();
    if (this.kept.length === 0) {
      this.element.remove();
    }
  }

  /** Begins again, for another attempt, below its question. */
  restart(question: HTMLElement): void {
    this.takeBack();
    this.heard = 0;
    this.element.classList.remove("unfinished");
    this.content.after(this.typing);
    if (!this.element.isConnected) {
      question.after(this.element);
    }
    scrollTo(this.element, "end");
  }

  private get hasAlert(): boolean {
    return this.all.some(({ kind }) => kind === "alert");
  }

  private get all(): AnswerPart[] {
    return [...this.parts.values()];
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
    if (this.all.some(isProminent)) {
      this.dropKept();
    }
    for (const [number, part] of this.parts) {
      const shown = this.shown.get(number);
      if (isProminent(part)) {
        const box = alertBox(part);
        if (shown instanceof HTMLElement && shown.isEqualNode(box)) {
          continue; // whom to call is not taken away and put back with each word that follows
        }
        shown instanceof HTMLElement ? shown.replaceWith(box) : this.content.append(box);
        this.shown.set(number, box);
      } else {
        const words = shown instanceof GrowingMarkdown ? shown : new GrowingMarkdown();
        words.show(part.text);
        if (!shown) {
          this.content.append(words.element);
          this.shown.set(number, words);
        }
      }
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
    const prominent = this.all.filter(isProminent);
    const latest = prominent.at(-1)?.kind;
    if (prominent.length > this.heard) {
      this.heard = prominent.length;
      // Several cautions arrive at once, and the last one must not silence the others.
      const texts = prominent.filter(({ kind }) => kind === latest).map(({ text }) => text);
      interrupt(texts.join(" "));
      // The beginning of an alert must be visible, because it says whom to call.
      scrollTo(this.element, this.hasAlert ? "start" : "end");
    } else if (prominent.length === 0) {
      follow(this.element);
    } else {
      note(); // the words that follow must not push whom to call out of view
    }
  }
}

/** What the safety layer found. */
export function safetyLine(safety: Parameters<typeof safetySummary>[0]): HTMLElement {
  const { text, tone } = safetySummary(safety);
  return create("p", `safety ${tone}`, icon("check"), text);
}

/** What stands out: a fixed text with whom to call, or a caution. */
export function alertBox(part: Prominent): HTMLElement {
  const { text } = part;
  const kind = part.kind === "alert" ? part.level : "caution";
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

/** Whether a part stands out from the others. */
export function isProminent(part: AnswerPart): part is Prominent {
  return part.kind === "alert" || part.kind === "caution";
}

function typingIndicator(): HTMLElement {
  const dots = create("span", "dots", create("span"), create("span"), create("span"));
  dots.setAttribute("aria-hidden", "true");
  return create("p", "typing", dots, create("span", "heard", "The assistant is answering."));
}
