import type { Safety } from "../../client/client.js";

/** What stands out from the model's own words: the fixed text of an alert, or a caution. */
export type Kind = "emergency" | "crisis" | "caution";

/** A part of an answer, in its order. */
export interface AnswerPart {
  /** Undefined for the model's own words. */
  kind?: Kind;
  text: string;
}

const RANKS = { none: 0, crisis: 1, emergency: 2 };

/**
 * Divides a streamed answer into fixed texts, the model's own words and cautions. The events say which is which: the
 * piece after a higher certain level is the fixed text, and the pieces after cautions are the cautions.
 */
export class AnswerParts {
  readonly all: AnswerPart[] = [];
  private level: Safety["level"] = "none";
  private expected: Kind[] = [];

  /** Takes an event `safety`. */
  noteSafety({ level, certainty, cautions }: Safety): void {
    if (certainty === "certain" && RANKS[level] > RANKS[this.level] && level !== "none") {
      this.level = level;
      this.expected = [level];
    }
    if (cautions.length > 0) {
      this.expected = cautions.map(() => "caution");
    }
  }

  /** Takes the next piece of text. */
  push(piece: string): void {
    const kind = this.expected.shift();
    const last = this.all.at(-1);
    if (kind) {
      this.all.push({ kind, text: piece.trim() });
    } else if (last && !last.kind) {
      last.text += piece;
    } else {
      this.all.push({ text: piece.trimStart() });
    }
  }
}
