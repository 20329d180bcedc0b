import { parseDataFile } from "../data-file.ts";
import { FNV_PRIME, fnv1a, hashOf, mix } from "./hash.ts";
import { indexOf, Phrases } from "./phrases.ts";
import type { Sentence } from "./words.ts";

/** The format of `data/words.json`, which explains its parts. */
interface WordFile {
  forms: Record<string, string>;
  endings: string[];
  softeners: string[];
  hesitations: string[];
}

const file = parseDataFile<WordFile>("words.json");
/** Spelling → the words that it is read as. */
const readAs = new Map(
  Object.entries(file.forms).flatMap(([meant, written]) =>
    written.split(" ").map((word) => [word, meant.split(" ")] as const),
  ),
);
const endingsByLetter = Map.groupBy(file.endings, (ending) => ending.at(-1));
const softeners = new Phrases(indexOf({ softener: file.softeners }));
const hesitations = new Phrases(indexOf({ hesitation: file.hesitations }));

/** The lengths of the letter runs of a word. */
const SHORTEST_RUN = 3;
const LONGEST_RUN = 5;

/** The start value of a letter run's hash, which differs from that of the same letters as a word. */
const RUN_SEED = 0x9e3779b9;

/** The weight of a letter run, of which each word has many; a word, pair or triple counts 1. */
export const RUN_VALUE = 0.5;

/** Added to the number of a window's features, so that one or two words alone have little effect. */
export const FEW = 10;

/** The features of one word of a message, as 32-bit hashes. */
export interface WordFeatures {
  /** Of {@link ownFeatures}. */
  own: number[];
  /** The word with the previous one, and with the previous two. */
  pair: number | undefined;
  triple: number | undefined;
}

/**
 * Reduces each word to its meaning, without its ending: "im" to "i am", "bleeding" to "bleed", 39.2 to a fever; and
 * removes politeness and words that play a danger down.
 *
 * @param sentence as returned by `words.ts`
 */
export function stemsOf(sentence: Sentence): string[] {
  return withoutSofteners(sentence)
    .flatMap((word) => readAs.get(word) ?? word)
    .map(stem);
}

/** Returns a sentence without politeness and words that play a danger down. */
export function withoutSofteners(words: Sentence): Sentence {
  return without(softeners, words);
}

/** Returns a sentence without what fills it as it is spoken: "he isn't really, um, waking up". */
export function withoutHesitations(words: Sentence): Sentence {
  return without(hesitations, words);
}

function without(phrases: Phrases, words: Sentence): Sentence {
  const found = phrases.in(words);
  if (found.length === 0) {
    return words;
  }
  const passed = new Set<number>();
  for (const { start, end } of found) {
    for (let index = start; index < end; index++) {
      passed.add(index);
    }
  }
  return words.filter((_, index) => !passed.has(index));
}

/**
 * Returns the features of a stem that do not depend on the words around it: the stem itself and the runs of its
 * letters, which make a misspelled word resemble the intended one.
 */
export function ownFeatures(stem: string): number[] {
  const features = [mix(hashOf(stem))];
  const padded = `<${stem}>`;
  for (let length = SHORTEST_RUN; length <= LONGEST_RUN && length < padded.length; length++) {
    for (let start = 0; start + length <= padded.length; start++) {
      features.push(mix(fnv1a(padded, RUN_SEED, start, start + length)));
    }
  }
  return features;
}

/** Adds pairs and triples of words to the {@link ownFeatures} of consecutive words. */
export function featuresOf(words: number[][]): WordFeatures[] {
  let [last, lastPair]: (number | undefined)[] = [];
  return words.map((own) => {
    const word = own[0] as number;
    const pair = last === undefined ? undefined : join(last, word);
    const triple = lastPair === undefined ? undefined : join(lastPair, word);
    [last, lastPair] = [word, pair];
    return { own, pair, triple };
  });
}

function stem(word: string): string {
  if (/^\d/.test(word)) {
    return kindOfNumber(Number(word));
  }
  const ending = endingsByLetter
    .get(word.at(-1))
    ?.find((candidate) => word.length - candidate.length >= SHORTEST_RUN && word.endsWith(candidate));
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** Only the kind of a number matters: 38.6 is a fever, 39 may be one or an age, and 7 is a few. */
function kindOfNumber(value: number): string {
  if ((value > 37.9 && value < 43) || (value >= 100.4 && value < 108)) {
    return Number.isInteger(value) ? "#hot" : "#fever";
  }
  if (value >= 1900 && value < 2100) {
    return "#year";
  }
  return value <= 12 ? "#few" : value < 100 ? "#tens" : "#many";
}

function join(first: number, second: number): number {
  return mix(Math.imul(first ^ (second >>> 7), FNV_PRIME) ^ Math.imul(second, 0x85ebca6b));
}
