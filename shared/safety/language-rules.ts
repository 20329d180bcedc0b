import { alertOf, type Category, higher, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { type Found, Phrases } from "./phrases.ts";
import type { Language } from "./screening.ts";
import { plainLetters, type Sentence } from "./words.ts";

/** The form of `data/languages/<code>.json`; its texts are `fixed-texts.ts`'s. */
interface LanguageFile {
  /** `substring` for languages that are read by characters rather than words. */
  matching?: "words" | "substring";
  /** Category → phrases, each enough for an alert. */
  certain: Record<string, string[]>;
  /** Category → lists of groups of phrases; an alert needs one of each group, in one sentence or two that follow each other. */
  together: Record<string, string[][][]>;
  negators: string[];
  /** What makes a sentence speak of something else than a danger now. */
  exclusions: string[];
}

/** The rules of one language. */
interface LanguageRules {
  split: (text: string) => Sentence[];
  phrases: Phrases;
  negators: Phrases;
  exclusions: Phrases;
  rules: { alert: SafetyAlert; groups: string[] }[];
  /** How many words, or characters, a denial reaches. */
  reach: number;
}

const loaded = new Map<Language, LanguageRules>();

/** The highest alert among the rules of a language that a text meets. The language's file is read on first use. */
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
  const prepared = (phrases: string[]) =>
    phrases.map((phrase) => {
      const plain = normalized(phrase, language);
      return (isByCharacter ? charactersOf(plain) : plain.trim().split(/\s+/)).join(" ");
    });
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

/** Where a sentence ends, in any of the scripts. */
const END = /[.!?;…。！？؟؛\n\r]+(?=\s|$|[^\d])/;

/** A text without what people write or leave out as they like, in the form that the phrases of a language are compared in. */
function normalized(text: string, language: Language): string {
  const plain = plainLetters(text)
    .replaceAll("đ", "d")
    .replaceAll(/(\d),(?=\d)/g, "$1.")
    .normalize("NFC");
  const letters =
    language === "ar"
      ? plain
          .replaceAll(/[\u064b-\u0652\u0640]/g, "")
          .replaceAll(/[أإآ]/g, "ا")
          .replaceAll("ى", "ي")
          .replaceAll("ة", "ه")
      : plain;
  return letters.replaceAll(/(\p{L})\1{2,}/gu, "$1$1");
}

function ownWordsOf(sentence: string): Sentence {
  return sentence.match(/[\p{L}\p{M}][\d\p{L}\p{M}]*|\d+(?:\.\d+)?(?:[\p{L}\p{M}][\d\p{L}\p{M}]*)?/gu) ?? [];
}

function charactersOf(sentence: string): Sentence {
  return [...sentence.replaceAll(/[\s,，、~]+/g, "")];
}
