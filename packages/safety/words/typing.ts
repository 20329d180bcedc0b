import { lazyDataFile } from "../data-file.ts";
import { isEnglishWord } from "./english-words.ts";
import { type Sentence, sentencesOf } from "./words.ts";

/** Shorter words have too many neighbors. */
const FEWEST_LETTERS = 4;
const MOST_LETTERS = 16;

const alarming = lazyDataFile("words.json", (file: { alarming: string }) => new Set(file.alarming.split(" ")));

/** Splits a text into sentences and words as they were meant: without repeated words and swapped letters. */
export function meantSentences(text: string): Sentence[] {
  return sentencesOf(text).map((words) =>
    words.map(unswapped).filter((word, index, all) => word !== all[index - 1] || /^\d/.test(word)),
  );
}

/** A word of an alarm of which two neighboring letters are swapped; any other word as it is. */
function unswapped(word: string): string {
  const isShort = word.length < FEWEST_LETTERS || word.length > MOST_LETTERS;
  if (isShort || alarming().has(word) || isEnglishWord(word)) {
    return word;
  }
  for (let index = 0; index < word.length - 1; index++) {
    const swapped = word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2);
    if (alarming().has(swapped)) {
      return swapped;
    }
  }
  return word;
}
