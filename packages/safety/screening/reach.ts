import { distance, type FoundPhrase } from "../words/phrases.ts";

/**
 * Tells which of some phrases are near another one, with no break between them. The work is linear in the length of a
 * text, whatever it consists of.
 */
export class Reach {
  private readonly starting = new Map<number, FoundPhrase[]>();
  /** By place, where the next break begins. */
  private readonly breakStarts: number[] = [];
  private readonly longest: number = 0;
  private readonly words: number;

  /** @param words fewer are between a phrase and those that reach it */
  constructor(phrases: readonly FoundPhrase[], breaks: readonly FoundPhrase[], words: number) {
    this.words = words;
    for (const phrase of phrases) {
      this.starting.set(phrase.start, [...(this.starting.get(phrase.start) ?? []), phrase]);
      this.longest = Math.max(this.longest, phrase.end - phrase.start);
    }
    for (const { start } of breaks) {
      this.breakStarts[start] = start;
    }
    let next = Number.POSITIVE_INFINITY;
    for (let place = this.breakStarts.length - 1; place >= 0; place--) {
      next = this.breakStarts[place] ?? next;
      this.breakStarts[place] = next;
    }
  }

  /** Returns the phrases that reach another one. */
  to(phrase: FoundPhrase): FoundPhrase[] {
    const reaching: FoundPhrase[] = [];
    if (this.starting.size === 0) {
      return reaching; // as in most texts
    }
    for (let place = phrase.start - this.words - this.longest; place < phrase.end + this.words; place++) {
      for (const other of this.starting.get(place) ?? []) {
        if (distance(phrase, other) < this.words && !this.isBroken(phrase, other)) {
          reaching.push(other);
        }
      }
    }
    return reaching;
  }

  /** Also if the phrase that is reached begins with the break, unlike one that reaches it, such as "now I'm fine". */
  private isBroken(reached: FoundPhrase, other: FoundPhrase): boolean {
    const start = this.breakStarts[Math.min(reached.end, other.end)] ?? Number.POSITIVE_INFINITY;
    return start < Math.max(reached.start, other.start) || start === reached.start;
  }
}
