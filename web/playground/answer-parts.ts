import { AnswerPieces, type Finding } from "../../client/answer-pieces.js";
import type { Safety } from "../../client/client.js";

/** What stands out from the model's own words: the fixed text of an alert, or a caution. */
export type Kind = Finding["kind"];

/** A part of an answer, in its order. */
export interface AnswerPart {
  /** Undefined for the model's own words. */
  kind?: Kind;
  text: string;
}

/** A streamed answer in parts, each of which is shown in its own way. */
export class AnswerParts {
  readonly all: AnswerPart[] = [];
  private readonly pieces = new AnswerPieces();

  /** Takes an event `safety`. */
  noteSafety(safety: Safety): void {
    this.pieces.noteSafety(safety);
  }

  /** Takes the next piece of text. */
  push(piece: string): void {
    for (const { text, finding } of this.pieces.take(piece)) {
      const last = this.all.at(-1);
      if (finding) {
        this.all.push({ kind: finding.kind, text });
      } else if (last && !last.kind) {
        last.text += text;
      } else {
        this.all.push({ text: text.trimStart() });
      }
    }
  }
}
