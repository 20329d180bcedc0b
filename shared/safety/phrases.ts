import type { Sentence } from "./words.ts";

/** Where a phrase stands in a sentence: word `start`, up to but not including word `end`. */
export interface Found {
  name: string;
  start: number;
  end: number;
}

/** Finds phrases of several groups in sentences, in one pass over the words. */
export class Phrases {
  private readonly byFirstWord = new Map<string, { name: string; words: string[] }[]>();

  /** @param groups name → phrases, written as `words.ts` leaves them */
  constructor(groups: Record<string, string[]>) {
    for (const [name, phrases] of Object.entries(groups)) {
      for (const phrase of phrases) {
        const words = phrase.split(" ");
        const first = words[0] ?? "";
        const known = this.byFirstWord.get(first);
        if (known) {
          known.push({ name, words });
        } else {
          this.byFirstWord.set(first, [{ name, words }]);
        }
      }
    }
  }

  /** All occurrences, from left to right. */
  in(sentence: Sentence): Found[] {
    const found: Found[] = [];
    for (const [start, word] of sentence.entries()) {
      for (const { name, words } of this.byFirstWord.get(word) ?? []) {
        if (words.every((expected, index) => sentence[start + index] === expected)) {
          found.push({ name, start, end: start + words.length });
        }
      }
    }
    return found;
  }
}
