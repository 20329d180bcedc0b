import type { Language } from "./alerts.ts";
import { preparedDataFile } from "./data-file.ts";
import { languagesOfAlarms } from "./screening/alarm-words.ts";
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

/** The maximum number of languages tried because of their frequent words. */
const MOST_CANDIDATES = 3;

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
  if (isAscii(start) || !OTHER_SCRIPT().test(start)) {
    return inLatinLetters(start);
  }
  const others = inOtherScripts(start);
  const within = others.flatMap(({ languages }) => languages);
  const [own] = others.find(({ isOwn }) => isOwn)?.languages ?? [];
  if (own) {
    return { language: own, isUnclear: false, candidates: within };
  }
  const latin = inLatinLetters(start);
  return { ...latin, candidates: [...within, ...latin.candidates] };
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

/** Returns the languages of each other script in a text, also of a single letter, and whether it is the text's own. */
function inOtherScripts(text: string): { languages: Language[]; isOwn: boolean }[] {
  const letters = count(text, LETTER());
  const han = count(text, HAN());
  return [
    ...SCRIPTS.map(([language, own]) => ({ languages: [language], found: count(text, own()) })),
    { languages: inHan(text), found: han > count(text, KANA()) ? han : 0 },
  ]
    .filter(({ found }) => found > 0)
    .map(({ languages, found }) => ({ languages, isOwn: found * 3 > letters }));
}

/** Returns the Chinese script that characters of a text show; both, if they are the same in both. */
function inHan(text: string): Language[] {
  const hits = (characters: string) => [...text].filter((character) => characters.includes(character)).length;
  const difference = hits(onlySimplified) - hits(traditional);
  return difference > 0 ? ["zh"] : difference < 0 ? ["zh-Hant"] : ["zh", "zh-Hant"];
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
  const ownLetters = isAscii(text) ? [] : LETTERS_OF.filter(([, own]) => own().test(text.normalize("NFC")));
  const byLetters = ownLetters.map(([language]) => language);
  for (const language of byLetters) {
    add(language, 1);
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
    candidates: [...new Set([...languages.slice(0, MOST_CANDIDATES), ...byLetters, ...languagesOfAlarms(words)])],
  };
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}
