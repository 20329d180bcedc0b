import { lazyDataFile } from "../data-file.ts";

const words = lazyDataFile("english-words.json", (file: { words: string }) => new Set(file.words.split(" ")));

/** Whether a word, without accents and in lower case, is a frequent English word. */
export function isEnglishWord(word: string): boolean {
  return words().has(word);
}
