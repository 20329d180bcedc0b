import type { Language } from "../alerts.ts";
import { parseDataFile } from "../data-file.ts";
import { isEnglishWord } from "../words/english-words.ts";
import { transliterated } from "../words/russian.ts";
import { WordLookup, type WordTable } from "../words/word-table.ts";
import { withoutMarks } from "../words/words.ts";

/** The languages that are written in Latin letters, and those that people also write so. */
const IN_LATIN_LETTERS: Language[] = ["es", "pt", "fr", "de", "vi", "tl", "ru", "ar", "zh"];

/** Their rules have words of other languages, too, by which they are not recognized: French ones in Arabic. */
const MIXED: Language[] = ["ar", "zh"];

/** The files whose words are English, because alarms in Tagalog have English words, too. */
const ENGLISH = ["rules", "words", "everyday", "asides", "cautions", "fixed-texts", "first-aid/en"];

/** Shorter words are words of many languages. */
const FEWEST_LETTERS = 3;

/** In a message of more words, one word alone is a coincidence. */
const FEW_WORDS = 20;

let lookup: WordLookup<Language[]> | undefined;

/**
 * Returns the languages whose alarms have one of the words, in which alone a rule of theirs can match. Short words, and
 * those of English alarms, do not count: what consists of them is found if the language is recognized otherwise.
 *
 * @param words without marks
 * @returns the language with most of the words first
 */
export function languagesOfAlarms(words: string[]): Language[] {
  lookup ??= new WordLookup(
    process.env.BUNDLED ? parseDataFile<WordTable>(ALARM_WORDS) : prepareAlarmWords(),
    (languages) => languages.split(" ") as Language[],
  );
  const counts = new Map<Language, number>();
  for (const word of new Set(words)) {
    const languages = lookup.get(word) ?? [];
    const spelled = transliterated(word);
    const isRussian = spelled !== word && !languages.includes("ru") && lookup.get(spelled)?.includes("ru");
    for (const language of isRussian ? [...languages, "ru" as const] : languages) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const least = words.length > FEW_WORDS ? 2 : 1;
  return [...counts]
    .filter(([, count]) => count >= least)
    .toSorted(([, first], [, second]) => second - first)
    .map(([language]) => language);
}

/** The file that is written beside a bundle (`prepare-data.ts`). */
export const ALARM_WORDS = "alarm-words.json";

/** @returns words → the languages whose rules have them, separated by spaces */
export function prepareAlarmWords(): WordTable {
  const english = new Set(ENGLISH.flatMap((name) => wordsIn(parseDataFile(`${name}.json`))));
  const table = new Map<string, string>();
  for (const language of IN_LATIN_LETTERS) {
    const { certain, together, likely, classes } = parseDataFile<Record<string, unknown>>(`languages/${language}.json`);
    const read = language === "ru" ? transliterated : (text: string) => text;
    for (const word of new Set(wordsIn([certain, together, likely, classes], read))) {
      const isOther = english.has(word) || isEnglishWord(word) || (MIXED.includes(language) && table.has(word));
      if (word.length >= FEWEST_LETTERS && !isOther) {
        table.set(word, `${table.get(word) ?? ""} ${language}`.trim());
      }
    }
  }
  return Object.fromEntries(table);
}

/** Returns the words of all phrases in a part of a file, also those with a choice in them: "vomit(é|ando)". */
function wordsIn(part: unknown, read = (text: string) => text): string[] {
  if (typeof part !== "string") {
    return Object.values(part ?? {}).flatMap((each) => wordsIn(each, read));
  }
  const pieces = part.split(" ").flatMap((piece) => {
    const [, before = "", choice, after = ""] = CHOICE.exec(piece) ?? [];
    return choice === undefined ? piece.split("|") : choice.split("|").map((word) => before + word + after);
  });
  return pieces.flatMap((piece) => read(withoutMarks(piece)).match(/\p{Script=Latin}+/gu) ?? []);
}

const CHOICE = /^([^(|{]*)\(([^)]*)\)(.*)$/;
