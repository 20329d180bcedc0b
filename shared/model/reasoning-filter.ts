import { table } from "../table.ts";
import { beginningOfMark, LONGEST_MARK, MARK, type Mark, MESSAGE, markOf } from "./reasoning-marks.ts";
import { BEGINNING, beginsLikeReasoning } from "./reasoning-openings.ts";
import { TextPlace } from "./text-place.ts";

/** Control tokens that begin a heading, such as a role or the name of a channel, and those that end it. */
const HEADINGS = table<readonly string[]>({
  start: ["channel", "message"], // Harmony: <|start|>assistant<|channel|>final<|message|>
  begin: ["content", "think"], // Solar Open: <|begin|>assistant<|content|>
  channel: ["message"],
  open: ["sep"], // Kimi K3: <|open|>think<|sep|>
  close: ["sep"],
  start_header_id: ["end_header_id"], // Llama 3
  header_start: ["header_end"], // Llama 4
  start_of_role: ["end_of_role"], // Granite
  im_start: ["im_sep"], // ChatML: <|im_start|>assistant, to the end of the line; Phi 4 has a token there
  start_of_turn: [], // Gemma: <start_of_turn>user, to the end of the line
});

/** Headings that the end of their line ends. */
const LINES = ["im_start", "start_of_turn"];

/** The control tokens of Harmony's channels, of which the last is the answer. */
const CHANNELS = ["start", "channel", "message"];

/** The roles of others than the model, in headings and in tokens: `<|user|>`, `<|im_user|>`, `<｜User｜>`. */
const OTHERS = /(?:^|[^a-z])(?:user|human|system|developer|tool|ipython|observation|inst)(?:[^a-z]|$)/;

/** The control tokens that end a message of the model, and its turn. */
const ENDS = [
  ...["end", "return"], // Harmony
  ...["eot", "eot_id"], // Muse Glimmer, Llama
  ...["im_end", "end_of_turn", "end_of_turn_token"], // ChatML, Gemma, Command
];

/** Those that end a message. */
const MESSAGE_ENDS = [
  ...ENDS,
  ...["call", "start", "channel"], // Harmony
  "eom", // Muse Glimmer
  ...["end_message", "content_text"], // Inkling
  ...["assistant", "im_assistant", "chatbot_token", "/inst"], // Phi and GLM, Kimi, Command, Mistral
];

/** Those that end its turn: a server that does not know them lets it go on by itself. */
const TURN_ENDS = [...ENDS, "eom_id", "endofturn", "endoftext", "end_of_text", "end_of_sentence", "eos", "/s"];

/** Families whose ends mean nothing without a beginning. */
const PAIRED = ["details", "granite", "tool_call"];

interface Reading {
  /** Whether the text is needed only as a whole. */
  whole: boolean;
  /** Whether the model is known to reason without a mark at the beginning, or may. */
  suspected: boolean;
}

/**
 * Removes a model's reasoning from a text that arrives in pieces, before anything else reads it, and what follows its
 * turn: questions that it invents, and its answers to them.
 *
 * The prompt of some models begins their reasoning, so that only its end is marked. A text that begins as reasoning
 * does is therefore held back until that mark, or until its own end; from a model that may do so, any text that does not
 * begin with the level that the service asks for.
 */
export class ReasoningFilter {
  private readonly reading: Reading;
  private suspected: boolean;
  /** How much is known to be the answer: nothing yet, nothing before the end, or all that comes. */
  private phase: "start" | "held" | "flows" = "start";
  /** What has arrived and may be part of a mark. */
  private pending = "";
  /** Text of which it is not yet known whether it is the answer. */
  private held = "";
  /** What has begun reasoning, the innermost last. */
  private readonly open: string[] = [];
  private heading: { name: string; text: string } | undefined;
  /** Families whose beginning the text only talks about, so that their end is text as well. */
  private readonly discussed: string[] = [];
  private readonly place = new TextPlace();
  private passedOn = false;
  /** The text before a mark that may only be left over: a second end of the same reasoning. */
  private beforeStray: string | undefined;
  private closed = false;
  /** Whether the model's turn has ended. */
  private over = false;

  /** Whether there was reasoning of which only the end was marked. */
  hasUnmarked = false;

  /** Whether it has been passed on, because only its end showed what it was. */
  leaked = false;

  constructor(reading: Reading) {
    this.reading = reading;
    this.suspected = reading.suspected;
  }

  /** Whether the text ended in the middle of reasoning. */
  get unfinished(): boolean {
    return this.open.length > 0;
  }

  /** Takes the next piece and returns the text that is known to be the answer. */
  push(piece: string): string {
    this.pending += piece;
    return this.read(false);
  }

  /**
   * Returns the rest.
   *
   * @param complete whether the text ends where the model ended it. Otherwise, what may be reasoning is dropped
   */
  end(complete: boolean): string {
    const text = this.read(true);
    if (this.phase === "flows") {
      return text;
    }
    if (this.beforeStray !== undefined && this.held.trim() === "") {
      this.held = this.beforeStray;
    } else if (!complete && this.mayBeReasoning() !== "no" && !this.closed) {
      this.open.push("unmarked");
      this.held = "";
    } else if (this.passedOn && this.held.trim() !== "") {
      this.leaked = true;
    }
    this.hasUnmarked ||= this.leaked;
    return text + this.flow();
  }

  /** The server sends reasoning in a field of its own, so the content need not be suspected because of its model. */
  noteSeparateReasoning(): string {
    this.suspected = false;
    if (this.reading.whole || this.phase !== "held" || this.passedOn) {
      return "";
    }
    this.phase = "start";
    return this.begin();
  }

  private read(isEnd: boolean): string {
    let passed = "";
    MARK.lastIndex = 0;
    for (let found = MARK.exec(this.pending); found; found = MARK.exec(this.pending)) {
      const mark = markOf(found);
      const after = this.pending.slice(found.index + found[0].length);
      const isLast = mark?.kind === "close" && !this.unfinished ? after.trimStart() === "" : after === "";
      if (isLast && !isEnd) {
        return passed + this.takeUntil(Math.max(0, found.index - 1)); // what follows may tell whether it is meant
      }
      const inTicks = this.pending.charAt(found.index - 1) === "`" && after.startsWith("`");
      passed += this.takeUntil(found.index);
      this.pending = after;
      MARK.lastIndex = 0;
      if (mark && !inTicks && this.isMeant(mark, found[0], after)) {
        this.apply(mark);
      } else {
        passed += this.take(found[0]);
      }
    }
    if (isEnd) {
      return passed + this.takeUntil(this.pending.length);
    }
    if (this.phase === "start" && !this.unfinished) {
      passed += this.takeUntil(Math.min(beginningOfMark(this.pending, true), BEGINNING));
    }
    const isShown = this.phase === "flows" && !this.unfinished;
    const position = isShown ? beginningOfMark(this.pending) : this.pending.length - LONGEST_MARK;
    return passed + this.takeUntil(Math.max(0, position));
  }

  private takeUntil(position: number): string {
    const text = this.pending.slice(0, position);
    this.pending = this.pending.slice(position);
    return this.take(text);
  }

  /** Takes text without marks, and returns what is the answer. */
  private take(text: string): string {
    if (this.heading) {
      return this.takeHeading(this.heading, text);
    }
    if (this.over || this.unfinished || text === "") {
      return "";
    }
    this.place.note(text);
    if (this.phase === "flows") {
      this.passedOn ||= text.trim() !== "";
      return text;
    }
    this.held += text;
    return this.phase === "start" ? this.begin() : "";
  }

  private takeHeading(heading: { name: string; text: string }, text: string): string {
    heading.text += text;
    const end = LINES.includes(heading.name) ? heading.text.indexOf("\n") : -1;
    if (end < 0) {
      return "";
    }
    this.endHeading({ ...heading, text: heading.text.slice(0, end) });
    return this.take(heading.text.slice(end + 1));
  }

  /** Decides from its beginning whether a text is the answer. */
  private begin(): string {
    const may = this.reading.whole ? "yes" : this.mayBeReasoning();
    if (may === "no") {
      return this.flow();
    }
    this.phase = may === "yes" ? "held" : "start";
    return "";
  }

  private mayBeReasoning(): ReturnType<typeof beginsLikeReasoning> {
    const text = this.held.trimStart();
    if (/^[*_`#>\s]*$/.test(text)) {
      return "unclear";
    }
    const isMarked = /^[*_`#>\s]*(?:\[|\(?level\b)/i.test(text);
    return isMarked ? "no" : this.suspected ? "yes" : beginsLikeReasoning(text);
  }

  private flow(): string {
    const text = this.held;
    this.phase = "flows";
    this.held = "";
    this.passedOn ||= text.trim() !== "";
    return text;
  }

  private apply(mark: Mark): void {
    if (this.over && !(mark.kind === "control" && CHANNELS.includes(mark.name))) {
      return;
    }
    if (mark.kind === "open") {
      this.heading = undefined;
      this.open.push(mark.family);
    } else if (mark.kind === "first" && mark.family) {
      this.open.push(mark.family);
    } else if (mark.kind === "close") {
      this.close(mark.family);
    } else if (mark.kind === "control") {
      this.control(mark.name);
    }
  }

  private close(family: string): void {
    const beginning = this.open.lastIndexOf(family);
    if (beginning >= 0) {
      this.open.length = beginning;
      this.closed ||= beginning === 0;
      this.answerFollows();
    } else if (!this.unfinished) {
      this.closeUnopened();
    }
  }

  /** All before this was reasoning, unless that has ended before and this is left over. */
  private closeUnopened(): void {
    if (this.closed) {
      this.beforeStray = this.held;
      this.held = "";
      this.phase = this.passedOn ? "held" : this.phase;
      return;
    }
    this.hasUnmarked = true;
    this.leaked ||= this.passedOn;
    this.held = "";
    this.closed = true;
    this.answerFollows();
  }

  private answerFollows(): void {
    if (!this.reading.whole && !this.unfinished && this.held.trim() === "") {
      this.phase = "flows";
    }
  }

  private control(name: string): void {
    if (this.heading && HEADINGS[this.heading.name]?.includes(name)) {
      this.endHeading(this.heading, name);
      return;
    }
    if (this.open.includes(MESSAGE) && MESSAGE_ENDS.includes(name)) {
      this.close(MESSAGE);
    }
    if (name === "content_thinking") {
      this.open.push(MESSAGE);
    }
    if (TURN_ENDS.includes(name)) {
      this.over = this.hasBegun && !this.unfinished;
    } else if (OTHERS.test(name) && !name.startsWith("/")) {
      this.beginTurnOfOther();
    }
    this.heading = HEADINGS[name] ? { name, text: "" } : this.heading;
  }

  /** Whether there is something of the answer. */
  private get hasBegun(): boolean {
    return this.passedOn || this.held.trim() !== "";
  }

  /** What another says is not the answer, also before it. */
  private beginTurnOfOther(): void {
    this.over = this.hasBegun && !this.unfinished;
    if (!this.over) {
      this.open.push(MESSAGE);
    }
  }

  /** @param by the control token that ends it; undefined for the end of its line */
  private endHeading({ name, text }: { name: string; text: string }, by?: string): void {
    this.heading = by === "channel" ? { name: "channel", text: "" } : undefined;
    const title = text.trim().toLowerCase();
    if (name === "im_start" && title.includes("think")) {
      this.open.push(MESSAGE); // HyperCLOVA X: <|im_start|>assistant/think
    } else if (name === "channel" && title.startsWith("final") && this.hasBegun) {
      this.over = false;
      this.closeUnopened(); // the prompt began the reasoning
    } else if (name !== "channel" && OTHERS.test(title.split(/[\s=]/)[0] ?? "")) {
      this.beginTurnOfOther();
    } else if ((name === "channel" && !title.startsWith("final")) || (name === "start" && /\bto=self\b/.test(title))) {
      this.open.push(MESSAGE);
    } else if ((name === "open" || name === "close") && title.startsWith("think")) {
      this.apply({ kind: name, family: "kimi" });
    }
  }

  /** Whether a mark is one, rather than something that the text is about. */
  private isMeant(mark: Mark, token: string, after: string): boolean {
    if (mark.kind === "first") {
      return !this.heading && !this.unfinished && !this.hasBegun;
    }
    if (this.heading || this.unfinished) {
      return true;
    }
    if (this.place.inCode) {
      return false;
    }
    if (mark.kind === "control") {
      return this.isToken(mark.name);
    }
    if (mark.kind === "wrapper") {
      return !this.place.afterWord;
    }
    const { family, kind } = mark;
    if (kind === "close" && (PAIRED.includes(family) || this.isDiscussed(family))) {
      return false;
    }
    if (family === "granite") {
      return this.place.beginsLine;
    }
    const isQuoted = this.place.quoted && /^["'”’»]/.test(after);
    const goesOn = this.place.afterWord && !token.includes("|") && !(kind === "close" && beginsAnew(after));
    if (kind === "open" && (isQuoted || goesOn)) {
      this.discussed.push(family);
    }
    return !isQuoted && !goesOn;
  }

  /** Whether a control token is one: in the middle of an answer, `<s>` strikes words out in HTML. */
  private isToken(name: string): boolean {
    if (name === "s" && this.hasBegun) {
      this.discussed.push("/s");
      return false;
    }
    return !this.isDiscussed(name);
  }

  private isDiscussed(family: string): boolean {
    const at = this.discussed.lastIndexOf(family);
    return at >= 0 && this.discussed.splice(at, 1).length > 0;
  }
}

/** Whether a text begins a line or a sentence, rather than going on with one. */
function beginsAnew(text: string): boolean {
  return /^(?:\s*$|[ \t]*[\n\r]|\s*[\p{Lu}\p{Lo}[*#\d])/u.test(text);
}
