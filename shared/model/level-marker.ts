import type { SafetyAlert } from "../../packages/safety/alerts.ts";
import { folded, type HandoffSignal, readHandoff, readLevel } from "./level-words.ts";
import { endOfMarker } from "./marker-end.ts";

/** The number of characters before a marker that tell whether it is at the start of a line or of a sentence. */
const CONTEXT = 4;

/** Where a marker may begin: at the start of a line or of a sentence, and at a bracket with the Markdown before it. */
const BEGINNING = /(?<=(?:^|\n|[.!?:])\s{0,2})(?=\S)|[*_`"']*[[({<]/g;

/**
 * Removes the level marker from an answer that arrives in pieces. The model is asked to begin with one
 * (`shared/chat/instructions.ts`); it is only for the service, and nobody else sees it, wherever it appears and however
 * the model writes it: a line, a sentence or a bracket is a marker if it has a level and nothing but words about the
 * level. Each level that can be read counts, and so does a request for a person.
 */
export class LevelMarker {
  /** The end of the text before {@link waiting}. */
  private context = "";
  private waiting = "";
  private readonly onAlert: (alert: SafetyAlert, named: boolean) => void;
  private readonly onHandoff: (reason: HandoffSignal) => void;

  /**
   * @param onAlert receives the model's verdict if it is an alert, before the text after its marker; `named` is whether
   *   the model named the category, which is otherwise a default
   * @param onHandoff receives why the model requests a person, if it does
   */
  constructor(
    onAlert: (alert: SafetyAlert, named: boolean) => void,
    onHandoff: (reason: HandoffSignal) => void = () => {},
  ) {
    this.onAlert = onAlert;
    this.onHandoff = onHandoff;
  }

  /** Takes the next piece and returns the text that cannot be part of a marker. */
  push(piece: string): string {
    this.waiting += piece;
    return this.release(false);
  }

  /** Returns the text held back until the end. */
  end(): string {
    return this.release(true);
  }

  private release(isEnd: boolean): string {
    const text = this.context + this.waiting;
    const plain = folded(text);
    let passed = "";
    let at = this.context.length;
    const first = plain.search(/\S/);
    BEGINNING.lastIndex = at;
    for (let begin = BEGINNING.exec(plain); begin; begin = BEGINNING.exec(plain)) {
      const { index } = begin;
      const marker = endOfMarker(plain, index, index <= first, isEnd);
      if (marker === "undecided") {
        return this.keep(text, index, passed + text.slice(at, index));
      }
      if (marker !== undefined) {
        this.report(plain.slice(index, marker));
        passed += text.slice(at, index);
        at = marker;
      }
      BEGINNING.lastIndex = marker ?? index + 1;
    }
    return this.keep(text, text.length, passed + text.slice(at));
  }

  private report(marker: string): void {
    const read = readLevel(marker);
    if (read?.alert) {
      this.onAlert(read.alert, read.named);
    }
    const handoff = readHandoff(marker);
    if (handoff) {
      this.onHandoff(handoff);
    }
  }

  private keep(text: string, from: number, passed: string): string {
    const before = text.slice(0, from);
    this.context = before.trim() === "" ? before.slice(-CONTEXT) : `x${before.slice(1 - CONTEXT)}`; // not the start
    this.waiting = text.slice(from);
    return passed;
  }
}
