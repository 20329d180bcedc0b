import { readDataFile } from "./data-file.ts";

let words: Set<string> | undefined;

/** Whether a word, without accents and in lower case, is a frequent English word. */
export function isEnglishWord(word: string): boolean {
  words ??= new Set(JSON.parse(readDataFile("english-words.json").toString()).words.split(" "));
  return words.has(word);
}
