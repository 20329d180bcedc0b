import { readDataFile } from "./data-file.ts";
import type { Language } from "./screening.ts";
import { plainLetters } from "./words.ts";

/** The form of `data/language-markers.json`: frequent words of each language, or characters that only it has. */
const markers = Object.entries(
  JSON.parse(readDataFile("language-markers.json").toString()).markers as Record<Language, string[]>,
).map(([language, words]) => ({ language: language as Language, words: new Set(words.map(plainLetters)) }));

/** So much of a message is looked at. */
const LETTERS = 1_000;

/** How many languages a message may be read in, when it is not plain which it is. */
const MOST_CANDIDATES = 3;

/** What language a message is written in. */
export interface Recognized {
  /** English if none is plain. */
  language: Language;
  /** The languages other than English whose rules are worth trying, the likeliest first. */
  candidates: Language[];
}

/** Recognizes the language of a message by its script, and in Latin letters by frequent words. */
export function recognizeLanguage(text: string): Recognized {
  const start = text.slice(0, LETTERS);
  const byScript = inOtherScript(start);
  return byScript?.[0] ? { language: byScript[0], candidates: byScript } : inLatinLetters(start);
}

function inOtherScript(text: string): Language[] | undefined {
  const letters = count(text, /\p{L}/gu);
  if (count(text, /\p{Script=Hangul}/gu) * 3 > letters) {
    return ["ko"];
  }
  if (count(text, /\p{Script=Arabic}/gu) * 3 > letters) {
    return ["ar"];
  }
  if (count(text, /\p{Script=Cyrillic}/gu) * 3 > letters) {
    return ["ru"];
  }
  const han = count(text, /\p{Script=Han}/gu);
  if (han * 3 > letters && han > count(text, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu)) {
    const hits = (language: Language) => {
      const characters = markers.find((entry) => entry.language === language)?.words;
      return [...text].filter((character) => characters?.has(character)).length;
    };
    const difference = hits("zh") - hits("zh-Hant");
    return difference > 0 ? ["zh"] : difference < 0 ? ["zh-Hant"] : ["zh", "zh-Hant"];
  }
  return undefined;
}

function inLatinLetters(text: string): Recognized {
  const plain = plainLetters(text).replaceAll("đ", "d");
  const words = plain.match(/\p{L}+/gu) ?? [];
  const scored = markers
    .filter(({ language }) => !["zh", "zh-Hant", "ko", "ar", "ru"].includes(language))
    .map(({ language, words: known }) => ({
      language,
      hits:
        words.filter((word) => known.has(word)).length +
        [...known].filter((marker) => marker.includes(" ") && plain.includes(marker)).length,
    }))
    .toSorted((a, b) => b.hits - a.hits);
  const english = scored.find(({ language }) => language === "en")?.hits ?? 0;
  const [best, ...others] = scored.filter(({ language, hits }) => language !== "en" && hits > 0 && hits >= english);
  if (best === undefined) {
    return { language: "en", candidates: [] };
  }
  const isPlain = best.hits > english && best.hits >= Math.min(2, words.length / 3);
  return {
    language: isPlain ? best.language : "en",
    candidates: [best, ...others].slice(0, MOST_CANDIDATES).map(({ language }) => language),
  };
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}
