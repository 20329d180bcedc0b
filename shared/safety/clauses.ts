import { plainWords } from "./drug-names.ts";

/** A part of a sentence: what is said in it about a name is said about no name in another. */
export interface Clause {
  words: string[];
  /** The words in one text, with a space at both ends. */
  text: string;
  /** Whether a new sentence begins with it. */
  startsSentence: boolean;
}

const SAINT = /\bst\.(?=\s)/gi;
const END = /([.!?;\n\r。！？；…]+(?=\D|$))|[,，、،](?=\D|$)|\b(?:but|pero|(?<!(?:tom|us)[oa] )mais|aber)\b/i;

/** A longer clause is read in pieces, so that the work is linear in the length of a text. */
const MOST_WORDS = 60;

/** Splits a text into clauses. */
export function clausesOf(text: string): Clause[] {
  const parts = text.replaceAll(SAINT, "st ").split(END);
  const clauses: Clause[] = [];
  let startsSentence = true;
  // Every second part is the end of a sentence, or undefined for the end of a clause within it.
  for (let index = 0; index < parts.length; index += 2) {
    const plain = plainWords(parts[index] ?? "");
    const all = plain === "" ? [] : plain.split(" ");
    for (let start = 0; start < all.length; start += MOST_WORDS) {
      const words = all.slice(start, start + MOST_WORDS);
      clauses.push({ words, text: ` ${words.join(" ")} `, startsSentence });
      startsSentence = false;
    }
    startsSentence ||= parts[index + 1] !== undefined;
  }
  return clauses;
}
