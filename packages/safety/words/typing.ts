import { lazyDataFile } from "../data-file.ts";
import { isEnglishWord } from "./english-words.ts";
import { withoutHesitations } from "./features.ts";
import { type Sentence, sentencesOf, withoutRepeats } from "./words.ts";

/** Shorter words have too many neighbors. */
const FEWEST_LETTERS = 4;
const MOST_LETTERS = 16;

/** A shorter word of an alarm is too near to others to be read for one. */
const FEWEST_OF_RESPELLED = 6;

const listed = lazyDataFile("words.json", (file: { alarming: string; unlike: string }) => {
  const alarming = file.alarming.split(" ");
  const long = alarming.filter((word) => word.length >= FEWEST_OF_RESPELLED);
  return {
    alarming: new Set(alarming),
    unlike: new Set(file.unlike.split(" ")),
    /** Words of alarms without one of their letters → the words. */
    incomplete: new Map(long.flatMap((word) => withoutOneLetter(word).map((rest) => [rest, word]))),
  };
});

/** Splits a text into sentences and words as they were meant: without repeated words and swapped letters. */
export function meantSentences(text: string): Sentence[] {
  return sentencesOf(text).map((words) =>
    words.map(unswapped).filter((word, index, all) => word !== all[index - 1] || /^\d/.test(word)),
  );
}

/** A word of an alarm of which two neighboring letters are swapped; any other word as it is. */
function unswapped(word: string): string {
  const { alarming } = listed();
  const isShort = word.length < FEWEST_LETTERS || word.length > MOST_LETTERS;
  if (isShort || alarming.has(word) || isEnglishWord(word)) {
    return word;
  }
  for (let index = 0; index < word.length - 1; index++) {
    const swapped = word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2);
    if (alarming.has(swapped)) {
      return swapped;
    }
  }
  return word;
}

/** Returns a sentence without hesitations, repeated words and misspelled words of alarms. */
export function fluentSentence(words: Sentence): Sentence {
  return respelled(withoutRepeats(withoutHesitations(words)));
}

/** Writes words that lack a letter of an alarm's word, or have one too many, as that word: "stoped", "colapsed". */
function respelled(words: Sentence): Sentence {
  const { alarming, unlike, incomplete } = listed();
  return words.map((word) => {
    const isMeant = alarming.has(word) || isEnglishWord(word) || unlike.has(word);
    if (isMeant || word.length > MOST_LETTERS) {
      return word;
    }
    const shorter = word.length > FEWEST_OF_RESPELLED ? withoutOneLetter(word) : [];
    return incomplete.get(word) ?? shorter.find((rest) => alarming.has(rest) && word !== `${rest}s`) ?? word;
  });
}

/** Returns what is left of a word if one letter is missing, except the first, with which people begin. */
function withoutOneLetter(word: string): string[] {
  return [...word].slice(1).map((_, index) => word.slice(0, index + 1) + word.slice(index + 2));
}
