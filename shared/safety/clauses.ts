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
const END = /([.!?;\n\r。！？；…]+(?=\D|$))|[,，、،](?=\D|$)|\b(?:but|pero|mais|aber)\b/i;

/** Splits a text into clauses. Linear in its length. */
export function clausesOf(text: string): Clause[] {
  const parts = text.replaceAll(SAINT, "st ").split(END);
  const clauses: Clause[] = [];
  let startsSentence = true;
  // Every second part is the end of a sentence, or undefined for the end of a clause within it.
  for (let index = 0; index < parts.length; index += 2) {
    const words = plainWords(parts[index] ?? "");
    if (words !== "") {
      clauses.push({ words: words.split(" "), text: ` ${words} `, startsSentence });
      startsSentence = false;
    }
    startsSentence ||= parts[index + 1] !== undefined;
  }
  return clauses;
}
