import type { Language } from "./alerts.ts";
import { preparedDataFile } from "./data-file.ts";
import { isEnglishWord } from "./words/english-words.ts";
import { isAscii, unicode } from "./words/unicode.ts";
import { WordLookup, type WordTable } from "./words/word-table.ts";
import { withoutMarks } from "./words/words.ts";

/** The form of `data/language-markers.json`, which says what its parts mean. */
interface MarkerFile {
  /** Frequent words of each language, separated by spaces, or characters that only it has. `zh-Latn` is Pinyin. */
  markers: Partial<Record<Language | "zh-Latn", string>>;
  /** How each of the characters of `zh-Hant` is read. */
  simplified: string;
}

const { words, onlySimplified, traditional, readAs } = preparedDataFile("language-markers.json", prepareMarkers);
const markers = new WordLookup(words, (languages) => languages.split(" ") as Language[]);

/**
 * Prepares the words of a marker file.
 *
 * @returns words → the languages in Latin letters in which they are frequent, separated by spaces; the characters that
 *   only one of the Chinese scripts has, and how each of the traditional ones is read
 */
export function prepareMarkers({ markers, simplified: readAs }: MarkerFile) {
  const index = new Map<string, string>();
  const { zh: onlySimplified = "", "zh-Hant": traditional = "", ...inLatin } = markers;
  for (const [code, words] of Object.entries(inLatin)) {
    const language = code === "zh-Latn" ? "zh" : code;
    for (const word of new Set(words.split(" ").map(withoutMarks))) {
      const others = index.get(word);
      index.set(word, others === undefined ? language : `${others} ${language}`);
    }
  }
  return { words: Object.fromEntries(index) satisfies WordTable, onlySimplified, traditional, readAs };
}

function tableOf(from: string[], to: string[]): Map<string, string> {
  return new Map(from.map((character, index) => [character, to[index] as string]));
}

let tableOfCharacters: Map<string, string> | undefined;

/** Writes traditional Chinese characters as simplified ones, in which the rules are. */
export function simplified(text: string): string {
  tableOfCharacters ??= tableOf([...traditional], [...readAs]);
  return text.replaceAll(HAN(), (character) => tableOfCharacters?.get(character) ?? character);
}

/** The number of characters of a message that are examined. */
const LETTERS = 1_000;

const OTHER_SCRIPT = unicode("[^\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}]");
/** The scripts that tell the language, if more than a third of the letters are in them. */
const SCRIPTS: [Language, () => RegExp][] = [
  ["ko", unicode("\\p{Script=Hangul}", "g")],
  ["ar", unicode("\\p{Script=Arabic}", "g")],
  ["ru", unicode("\\p{Script=Cyrillic}", "g")],
];
const HAN = unicode("\\p{Script=Han}", "g");
const KANA = unicode("[\\p{Script=Hiragana}\\p{Script=Katakana}]", "g");
const LETTER = unicode("\\p{L}", "g");
const WORD = unicode("\\p{L}+", "g");

/** The weight with which a message of any length is in a language. A word counts less if several languages have it. */
const LEAST_WEIGHT = 1;

/** The maximum number of languages tried for a longer message whose language is unclear. */
const MOST_CANDIDATES = 3;

/** A message of at most this many words may contain no frequent word at all, so every language is tried. */
const SHORT = 12;

/**
 * The languages tried for a short message, Russian as a transliteration. Not Tagalog: nearly every sentence has a
 * frequent word, and its rules contain many English words.
 */
const IN_LATIN_LETTERS: Language[] = ["es", "pt", "fr", "de", "vi", "ru"];

/**
 * Frequent English words that are also words of another language without accents: "on" in French, "to" in Portuguese.
 */
const NOT_ONLY_ENGLISH = new Set(
  "a all also am an any as be by can do doctor dr has he her hi id ill im in is it me no not old on one or our over pain sir so some son to us want was we were will".split(
    " ",
  ),
);

/** Words of English that people of all languages write. */
const INTERNATIONAL = new Set("bye doctor dr hi hello like no off ok sorry stop".split(" "));

/** Letters that are characteristic of one language. */
const LETTERS_OF: [Language, () => RegExp][] = [
  ["es", unicode("[ñ¿¡]", "i")],
  ["pt", unicode("[ãõ]", "i")],
  ["fr", unicode("[œèùûëï]", "i")],
  ["de", unicode("[äöß]", "i")],
  ["vi", unicode("[ăđơưảạấầẩẫậắằẳẵặẻẽẹếềểễệỉĩịỏọốồổỗộớờởỡợủũụứừửữựỷỹỵ]", "i")],
];

/** The language of a message. */
export interface Recognized {
  /** English if it is unclear. */
  language: Language;
  /** Whether the message has no sign of its language, such as a number or "ok". */
  isUnclear: boolean;
  /** The languages other than English whose rules to try, most likely first. */
  candidates: Language[];
}

/** Recognizes the language of a message by its script, or by frequent words if it is in Latin letters. */
export function recognizeLanguage(text: string): Recognized {
  const start = text.slice(0, LETTERS);
  const byScript = isAscii(start) || !OTHER_SCRIPT().test(start) ? undefined : inOtherScript(start);
  return byScript?.[0] ? { language: byScript[0], isUnclear: false, candidates: byScript } : inLatinLetters(start);
}

/** The number of earlier messages that can tell the language of one that has no sign of it. */
const EARLIER_MESSAGES = 10;

/**
 * Returns the language of the last message that shows it: "ok" or a number is in the language of the messages before
 * it.
 *
 * @param messages of the user, oldest first
 * @param otherwise the language if no message shows its own
 */
export function languageOfConversation(messages: string[], otherwise: Language = "en"): Language {
  for (const message of messages.slice(-EARLIER_MESSAGES - 1).toReversed()) {
    const { language, isUnclear } = recognizeLanguage(message);
    if (!isUnclear) {
      return language;
    }
  }
  return otherwise;
}

function inOtherScript(text: string): Language[] | undefined {
  const letters = count(text, LETTER());
  const [language] = SCRIPTS.find(([, own]) => count(text, own()) * 3 > letters) ?? [];
  if (language) {
    return [language];
  }
  const han = count(text, HAN());
  if (han * 3 > letters && han > count(text, KANA())) {
    const hits = (characters: string) => [...text].filter((character) => characters.includes(character)).length;
    const difference = hits(onlySimplified) - hits(traditional);
    return difference > 0 ? ["zh"] : difference < 0 ? ["zh-Hant"] : ["zh", "zh-Hant"];
  }
  return undefined;
}

function inLatinLetters(text: string): Recognized {
  const letters = withoutMarks(text);
  const words = letters.match(isAscii(letters) ? /[a-z]+/g : WORD()) ?? [];
  const weights = new Map<Language, number>();
  const add = (language: Language, weight: number) => weights.set(language, (weights.get(language) ?? 0) + weight);
  let isEnglishSure = false;
  for (const word of words) {
    const languages = markers.get(word) ?? [];
    for (const language of languages) {
      add(language, 1 / languages.length);
    }
    isEnglishSure ||= languages.length === 1 && languages[0] === "en" && !INTERNATIONAL.has(word);
  }
  for (const [language, own] of isAscii(text) ? [] : LETTERS_OF) {
    if (own().test(text.normalize("NFC"))) {
      add(language, 1);
    }
  }
  const english = weights.get("en") ?? 0;
  const likely = [...weights]
    .filter(([language, weight]) => language !== "en" && weight >= english)
    .toSorted(([, first], [, second]) => second - first);
  const [best] = likely;
  const isClear = best !== undefined && best[1] > english && best[1] >= Math.min(LEAST_WEIGHT, words.length / 8);
  const languages = likely.map(([language]) => language);
  return {
    language: isClear ? best[0] : "en",
    isUnclear: !isClear && !isEnglishSure,
    candidates:
      words.length <= SHORT && !isEnglish(words)
        ? [...new Set([...languages, ...IN_LATIN_LETTERS])]
        : languages.slice(0, MOST_CANDIDATES),
  };
}

/** Whether a word is plainly English, or more than half of the words are frequent English ones. */
function isEnglish(words: string[]): boolean {
  const english = words.filter((word) => {
    const languages = markers.get(word);
    return languages ? languages.every((language) => language === "en") : isEnglishWord(word);
  });
  const isPlain = english.some((word) => markers.get(word) !== undefined && !NOT_ONLY_ENGLISH.has(word));
  return isPlain || english.length * 2 > words.length;
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}
