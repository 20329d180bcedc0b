import { distance, type FoundPhrase } from "../words/phrases.ts";

/**
 * Tells which of some phrases are near another one, with no break between them. The work is linear in the length of a
 * text, whatever it consists of.
 */
export class Reach {
  private readonly starting = new Map<number, FoundPhrase[]>();
  /** By place, where the first break ends that begins there or later. */
  private readonly breakEnds: number[] = [];
  private readonly longest: number = 0;
  private readonly words: number;

  /** @param words fewer are between a phrase and those that reach it */
  constructor(phrases: readonly FoundPhrase[], breaks: readonly FoundPhrase[], words: number) {
    this.words = words;
    for (const phrase of phrases) {
      this.starting.set(phrase.start, [...(this.starting.get(phrase.start) ?? []), phrase]);
      this.longest = Math.max(this.longest, phrase.end - phrase.start);
    }
    for (const { start, end } of breaks) {
      this.breakEnds[start] = Math.min(this.breakEnds[start] ?? end, end);
    }
    let next = Number.POSITIVE_INFINITY;
    for (let place = this.breakEnds.length - 1; place >= 0; place--) {
      next = Math.min(next, this.breakEnds[place] ?? next);
      this.breakEnds[place] = next;
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

  private isBroken(first: FoundPhrase, second: FoundPhrase): boolean {
    const end = this.breakEnds[Math.min(first.end, second.end)] ?? Number.POSITIVE_INFINITY;
    return end <= Math.max(first.start, second.start);
  }
}
