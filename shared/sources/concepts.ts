import concepts from "./data/concepts.json" with { type: "json" };
import { wordsOf } from "./words.ts";

/** Begins the terms for what words are about. No word of a text contains it. */
export const CONCEPT_MARK = "§";

/**
 * What a word is about, as terms that no text contains: `§cost` for price, fee, cuesta or 费用. People rarely ask with
 * the words of the source, and in another language they share none with it. The groups are the subjects of a clinic's
 * questions, in English, Spanish, Chinese and Arabic.
 */
const CONCEPTS = new Map<string, string[]>();

for (const [concept, list] of Object.entries<string>(concepts)) {
  for (const word of new Set(wordsOf(list))) {
    CONCEPTS.set(word, [...(CONCEPTS.get(word) ?? []), `${CONCEPT_MARK}${concept}`]);
  }
}

/** A word with an ending of up to this many letters is about the same, such as insurers for insurer. */
const LONGEST_ENDING = 3;
const SHORTEST_STEM = 4;

/** @param word as {@link wordsOf} returns it */
export function conceptsOf(word: string): readonly string[] {
  for (let length = word.length; length >= Math.max(SHORTEST_STEM, word.length - LONGEST_ENDING); length--) {
    const found = CONCEPTS.get(word.slice(0, length));
    if (found) {
      return found;
    }
  }
  return CONCEPTS.get(word) ?? [];
}
