import type { Passage } from "./passages.ts";

/** A passage as the model gets it in one turn: with the number by which it is cited. */
export type NumberedPassage = Passage & { number: number };

/** The marker with which the model cites a passage: `[1]`. */
const MARKER = /\s?\[(\d{1,3})\]/g;

/** What may be the beginning of a marker, at the end of a piece of a stream. */
const UNFINISHED = /\s?(\[\d{0,3})?$/;

/**
 * Reads the markers in an answer that arrives in pieces. The words go on without those that name no passage; one that
 * is split over two pieces is held back until it is complete.
 */
export class CitationReader {
  private readonly known: ReadonlySet<number>;
  private waiting = "";
  /** The numbers of the passages that were cited, in the order of their first citation. */
  readonly cited = new Set<number>();

  constructor(passages: readonly NumberedPassage[]) {
    this.known = new Set(passages.map(({ number }) => number));
  }

  /** Takes a piece. @returns what can be passed on */
  push(piece: string): string {
    const text = this.waiting + piece;
    this.waiting = UNFINISHED.exec(text)?.[0] ?? "";
    return this.read(text.slice(0, text.length - this.waiting.length));
  }

  /** @returns the rest */
  end(): string {
    const rest = this.waiting;
    this.waiting = "";
    return rest;
  }

  private read(text: string): string {
    return text.replace(MARKER, (marker, digits) => {
      const number = Number(digits);
      if (!this.known.has(number)) {
        return "";
      }
      this.cited.add(number);
      return marker;
    });
  }
}

/** Returns words without their markers, whose numbers mean nothing in another turn. */
export function withoutMarkers(text: string): string {
  const reader = new CitationReader([]);
  return reader.push(text) + reader.end();
}
