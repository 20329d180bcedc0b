import { clausesOf } from "./clauses.ts";
import type { FoundName } from "./drug-names.ts";
import { says } from "./mentions.ts";
import { isNoAllergy } from "./recorded.ts";

/** Longer than this, a phrase is a sentence rather than the name of a substance. */
const MOST_WORDS = 4;

/** What stands around a name, or between two, besides what ends a clause. */
const BETWEEN = /[:/&+|•→()[\]]|\s[-–—>]+\s/g;
const IN_BRACKETS = /\([^()]*\)|\[[^[\]]*\]/g;

/** What a word for an allergy leaves of a compound: "Latexallergie", "对乳胶过敏". */
const COMPOUND = /^[对對](?=.)|(?<=...)(?:s|n)?allergie$|(?<=.)(?:过敏|過敏|알레르기)(?:.{0,3})$|(?<=.)에$/g;

/**
 * Returns what a text about allergies names, whether or not any table has it: "Zyrtec", "latex", "tree nuts". What is in
 * brackets or behind "causes" is usually the reaction.
 *
 * @returns in the form of `plainWords`
 */
export function allergensIn(text: string): string[] {
  return clausesOf(text.replaceAll(IN_BRACKETS, "; ").replaceAll(BETWEEN, "; "))
    .filter(({ text: words }) => !isNoAllergy(words) && !says("denied", words) && !isAboutOthers(words))
    .flatMap(({ words }) => phrasesIn(words));
}

function isAboutOthers(words: string): boolean {
  return says("family", words) || says("others-before", words) || says("others-after", words);
}

function phrasesIn(words: readonly string[]): string[] {
  const phrases: string[][] = [[]];
  for (const word of words) {
    if (says("allergen-ends", word) && phrases.flat().some(isNaming)) {
      break;
    } else if (says("allergen-joins", word)) {
      phrases.push([]);
    } else {
      phrases.at(-1)?.push(word.replaceAll(COMPOUND, ""));
    }
  }
  return phrases
    .map((phrase) => phrase.slice(phrase.findIndex(isNaming), phrase.findLastIndex(isNaming) + 1))
    .filter((phrase) => phrase.length > 0 && phrase.length <= MOST_WORDS)
    .map((phrase) => phrase.join(" "))
    .filter((phrase) => phrase.length > 2 || /[^\p{Script=Latin}\d ]{2}/u.test(phrase));
}

function isNaming(word: string): boolean {
  return !says("no-allergen", word);
}

const MOST_PHRASES = 300;

/** Finds phrases in texts, also as plurals; in scripts without spaces, within words. */
export class PhraseFinder {
  /** By the first word. */
  private readonly phrases = new Map<string, { name: string; words: string[] }[]>();
  private readonly unspaced: string[] = [];

  /** @param phrases in the form of `plainWords`; of a very long list, the first ones count, so that the work is bounded */
  constructor(phrases: Iterable<string>) {
    for (const name of [...new Set(phrases)].slice(0, MOST_PHRASES)) {
      const words = name.split(" ").map(singular);
      const [first = ""] = words;
      this.phrases.set(first, [...(this.phrases.get(first) ?? []), { name, words }]);
      if (/[\p{Script=Han}\p{Script=Hangul}]/u.test(name)) {
        this.unspaced.push(name);
      }
    }
  }

  find(words: readonly string[]): FoundName[] {
    return words.flatMap((word, start) => {
      const spaced = (this.phrases.get(singular(word)) ?? [])
        .filter((phrase) => phrase.words.every((each, index) => each === singular(words[start + index] ?? "")))
        .map((phrase) => foundAt(phrase.name, start, start + phrase.words.length, 0));
      const within = this.unspaced
        .filter((name) => name !== word && word.includes(name))
        .map((name) => foundAt(name, start, start + 1, word.indexOf(name)));
      return [...spaced, ...within];
    });
  }
}

function foundAt(name: string, start: number, end: number, offset: number): FoundName {
  return { name, ids: new Set([phraseId(name)]), start, end, offset };
}

/** The id of a phrase. */
export function phraseId(name: string): string {
  return `phrase ${name}`;
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?<=[^s])(?:s|es)$/, "") : word;
}
