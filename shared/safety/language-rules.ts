import { alertOf, type Category, higher, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { type Found, Phrases } from "./phrases.ts";
import type { Language } from "./screening.ts";
import { plainLetters, type Sentence } from "./words.ts";

/** The format of `data/languages/<code>.json`, except its texts, which belong to `fixed-texts.ts`. */
interface LanguageFile {
  /** `substring` for languages that are matched by characters rather than words. */
  matching?: "words" | "substring";
  /**
   * Name → words or parts of sentences. In a phrase, `{name}` matches any of them, and `(a|b|)` matches a, b or
   * nothing.
   */
  classes?: Record<string, string[]>;
  /** Category → phrases, each enough for an alert. */
  certain: Record<string, string[]>;
  /**
   * Category → lists of groups of phrases; an alert needs one of each group, in one sentence or two consecutive ones.
   */
  together: Record<string, string[][][]>;
  negators: string[];
  /** Phrases that show that a sentence is not about a current danger. */
  exclusions: string[];
}

/** The rules of one language. */
interface LanguageRules {
  split: (text: string) => Sentence[];
  phrases: Phrases;
  negators: Phrases;
  exclusions: Phrases;
  rules: { alert: SafetyAlert; groups: string[] }[];
  /** The range of a denial in words, or in characters. */
  reach: number;
}

const loaded = new Map<Language, LanguageRules>();

/**
 * Returns the highest alert among the rules of a language that a text matches. Reads the language's file on first use.
 */
export function alertInLanguage(text: string, language: Language): SafetyAlert | undefined {
  const { split, phrases, negators, exclusions, rules, reach } = rulesOf(language);
  const present = split(text).map((sentence) => {
    if (exclusions.in(sentence).length > 0) {
      return [];
    }
    const denying = negators.in(sentence);
    return phrases.in(sentence).filter((phrase) => !isDenied(phrase, denying, reach));
  });
  let alert: SafetyAlert | undefined;
  for (const [index, found] of present.entries()) {
    const names = new Set([...(present[index - 1] ?? []), ...found].map(({ name }) => name));
    if (names.size > 0) {
      for (const rule of rules) {
        if (rule.groups.every((group) => names.has(group))) {
          alert = higher(alert, rule.alert);
        }
      }
    }
  }
  return alert;
}

function isDenied(phrase: Found, denying: Found[], reach: number): boolean {
  return denying.some(({ end }) => end <= phrase.start && phrase.start - end < reach);
}

function rulesOf(language: Language): LanguageRules {
  const rules = loaded.get(language) ?? readRules(language);
  loaded.set(language, rules);
  return rules;
}

function readRules(language: Language): LanguageRules {
  const file: LanguageFile = JSON.parse(readDataFile(`languages/${language.toLowerCase()}.json`).toString());
  const isByCharacter = file.matching === "substring";
  const wordsOf = isByCharacter ? charactersOf : ownWordsOf;
  const split = (text: string) =>
    normalized(text, language)
      .split(END)
      .map(wordsOf)
      .filter((words) => words.length > 0);
  // Normalized before expansion, when there are far fewer.
  const plain = (phrase: string) => (language !== "ru" && PLAIN.test(phrase) ? phrase : normalized(phrase, language));
  const classes = Object.fromEntries(
    Object.entries(file.classes ?? {}).map(([name, words]) => [plain(name), words.map(plain)]),
  );
  const prepared = (phrases: string[]) =>
    phrases
      .flatMap((phrase) => expanded(plain(phrase), classes))
      .map((phrase) => (isByCharacter ? charactersOf(phrase) : phrase.trim().split(/\s+/)).join(" "));
  const groups: Record<string, string[]> = {};
  const rules: LanguageRules["rules"] = [];
  for (const [category, phrases] of Object.entries(file.certain)) {
    groups[category] = prepared(phrases);
    rules.push({ alert: alertOf(category as Category), groups: [category] });
  }
  for (const [category, lists] of Object.entries(file.together)) {
    for (const [index, list] of lists.entries()) {
      const names = list.map((phrases, place) => {
        const name = `${category} ${index} ${place}`;
        groups[name] = prepared(phrases);
        return name;
      });
      rules.push({ alert: alertOf(category as Category), groups: names });
    }
  }
  return {
    split,
    phrases: new Phrases(groups),
    negators: new Phrases({ negator: prepared(file.negators) }),
    exclusions: new Phrases({ exclusion: prepared(file.exclusions) }),
    rules,
    reach: isByCharacter ? 4 : 3,
  };
}

/** Matches a phrase that needs no normalization, because thousands of them are read at once. */
const PLAIN = /^(?:([a-z])(?!\1\1)|[ #\d])*$/;

function expanded(phrase: string, classes: Record<string, string[]>): string[] {
  const [, before, name, list, after] = /^(.*?)(?:\{(\w+)\}|\(([^()]*)\))(.*)$/.exec(phrase) ?? [];
  const words = name === undefined ? list?.split("|") : classes[name];
  return words ? words.flatMap((word) => expanded(`${before}${word}${after}`, classes)) : [phrase];
}

/** The end of a sentence, in any of the scripts. */
const END = /[.!?;…。！？؟؛\n\r]+(?=\s|$|[^\d])/;

/** Normalizes a text to the form in which a language's phrases are compared, without optional spelling differences. */
function normalized(text: string, language: Language): string {
  const plain = plainLetters(text)
    .replaceAll("đ", "d")
    .replaceAll(/(\d),(?=\d)/g, "$1.")
    .normalize("NFC");
  const letters = language === "ar" ? plainArabic(plain) : language === "ru" ? russianInLatinLetters(plain) : plain;
  return letters.replaceAll(/(\p{L})\1{2,}/gu, "$1$1");
}

/** Removes vowel marks and the "and" that is attached to the next word. */
function plainArabic(text: string): string {
  return text
    .replaceAll(/[\u064b-\u0652\u0640]/g, "")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll("ى", "ي")
    .replaceAll("ة", "ه")
    .replaceAll(/(?<!\p{L})و(?=\p{L}{3})/gu, "");
}

/** The transliteration of each letter from а to я, without the differences between the usual systems. */
const RUSSIAN = "a b v g d e zh z i i k l m n o p r s t u f h ts ch sh sh  i  e iu ia".split(" ");

function russianInLatinLetters(text: string): string {
  return text
    .replaceAll(/[а-я]/g, (letter) => RUSSIAN[letter.charCodeAt(0) - "а".charCodeAt(0)] ?? "")
    .replaceAll(/shch|sch/g, "sh")
    .replaceAll("kh", "h")
    .replaceAll(/y([eo])/g, "e")
    .replaceAll(/[yj]/g, "i");
}

function ownWordsOf(sentence: string): Sentence {
  return sentence.match(/[\p{L}\p{M}][\d\p{L}\p{M}]*|\d+(?:\.\d+)?(?:[\p{L}\p{M}][\d\p{L}\p{M}]*)?/gu) ?? [];
}

function charactersOf(sentence: string): Sentence {
  return [...sentence.replaceAll(/[\s,，、~]+/g, "")];
}
