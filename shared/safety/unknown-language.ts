import { readDataFile } from "./data-file.ts";
import { unicode } from "./unicode.ts";
import { sentencesOf } from "./words.ts";

/** A message in Latin letters with fewer words is treated as English. */
const FEWEST_WORDS = 4;

/** English messages, even terse ones, have at least this share of the words of `data/english-words.json`. */
const ENGLISH_SHARE = 0.1;

const LATIN = unicode("\\p{Script=Latin}");
const LETTER = unicode("\\p{L}", "g");

/** Letters surrounded by punctuation only: not a number, code or address. */
const WORD = unicode("^[^\\p{L}\\d]*[\\p{L}\\p{M}'’]+[^\\p{L}\\d]*$");

let english: Set<string> | undefined;

/**
 * Whether a message that was not recognized as a language with rules is not English either: a guess by script and
 * frequent words. It only decides which text is shown when no model can answer. On the labeled English messages, fewer
 * than two in a hundred guesses are wrong.
 */
export function isUnknownLanguage(message: string): boolean {
  const letters = message.match(LETTER()) ?? [];
  if (letters.filter((letter) => LATIN().test(letter)).length * 2 < letters.length) {
    return true;
  }
  const words = message
    .split(/\s+/)
    .filter((word) => WORD().test(word))
    .flatMap((word) => sentencesOf(word).flat());
  const known = words.filter(isEnglishWord).length;
  return words.length >= FEWEST_WORDS && known < words.length * ENGLISH_SHARE;
}

/** Whether a word, without accents and in lower case, is a frequent English word. */
export function isEnglishWord(word: string): boolean {
  english ??= new Set(JSON.parse(readDataFile("english-words.json").toString()).words.split(" "));
  return english.has(word);
}
