import { LONGEST_UNSPACED, plainWords } from "./drug-names.ts";

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
const MOST_CHARACTERS = 600;

/** A longer word, which only a text without spaces has, is read in pieces, each of which begins with the last's end. */
const LONGEST_WORD = 120;

/** Splits a text into clauses. */
export function clausesOf(text: string): Clause[] {
  const parts = text.replaceAll(SAINT, "st ").split(END);
  const clauses: Clause[] = [];
  let startsSentence = true;
  // Every second part is the end of a sentence, or undefined for the end of a clause within it.
  for (let index = 0; index < parts.length; index += 2) {
    const plain = plainWords(parts[index] ?? "");
    for (const words of piecesOf(plain === "" ? [] : plain.split(" ").flatMap(wordsOf))) {
      clauses.push({ words, text: ` ${words.join(" ")} `, startsSentence });
      startsSentence = false;
    }
    startsSentence ||= parts[index + 1] !== undefined;
  }
  return clauses;
}

function piecesOf(words: string[]): string[][] {
  const pieces: string[][] = [];
  let characters = 0;
  for (const word of words) {
    const last = pieces.at(-1);
    characters += word.length + 1;
    if (last && last.length < MOST_WORDS && characters <= MOST_CHARACTERS) {
      last.push(word);
    } else {
      pieces.push([word]);
      characters = word.length + 1;
    }
  }
  return pieces;
}

/** Returns a word, or the pieces of a long one. They overlap, so that no name is cut in two. */
function wordsOf(word: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + LONGEST_UNSPACED - 1 < word.length; start += STEP) {
    pieces.push(word.slice(start, start + LONGEST_WORD));
  }
  return pieces;
}

const STEP = LONGEST_WORD - (LONGEST_UNSPACED - 1);
