import { readDataFile } from "./data-file.ts";
import { indexOf, Phrases } from "./phrases.ts";
import type { Sentence } from "./words.ts";

/** The format of `data/words.json`, which explains its parts. */
interface WordFile {
  forms: Record<string, string>;
  endings: string[];
  softeners: string[];
}

const { forms, endings, softeners: written }: WordFile = JSON.parse(readDataFile("words.json").toString());
const readAs = new Map(
  Object.entries(forms).flatMap(([meant, written]) => written.split(" ").map((word) => [word, meant.split(" ")])),
);

const softeners = new Phrases(indexOf({ softener: written }));

/** The lengths of the letter runs of a word. */
const SHORTEST_RUN = 3;
const LONGEST_RUN = 5;

/** The weight of a letter run, of which each word has many; a word, pair or triple counts 1. */
export const RUN_VALUE = 0.5;

/** Added to the number of a window's features, so that one or two words alone have little effect. */
export const FEW = 10;

/** The features of one word of a message, as 32-bit hashes. */
export interface WordFeatures {
  /** The word itself and the runs of its letters. */
  own: number[];
  /** The word with the previous one, and with the previous two. */
  pair: number | undefined;
  triple: number | undefined;
}

/**
 * Reduces each word to its meaning, without its ending: "im" to "i am", "bleeding" to "bleed", 39.2 to a fever; and
 * removes politeness and words that play a danger down.
 *
 * @param sentences as returned by `words.ts`
 * @returns the sentences that are not empty afterwards
 */
export function stemsOf(sentences: Sentence[]): Sentence[] {
  return sentences
    .map((words) =>
      withoutSofteners(words)
        .flatMap((word) => readAs.get(word) ?? [word])
        .map(stem),
    )
    .filter((words) => words.length > 0);
}

/** Returns a sentence without politeness and words that play a danger down. */
export function withoutSofteners(words: Sentence): Sentence {
  const passed = new Set<number>();
  for (const { start, end } of softeners.in(words)) {
    for (let index = start; index < end; index++) {
      passed.add(index);
    }
  }
  return words.filter((_, index) => !passed.has(index));
}

/**
 * Turns stems into features: words, pairs and triples of words, and letter runs, which make a misspelled word resemble
 * the intended one.
 */
export function featuresOf(stems: string[]): WordFeatures[] {
  const hashes = stems.map((word) => hash(word, SEED));
  return stems.map((word, index) => {
    const [own = 0, before, twoBefore] = [hashes[index], hashes[index - 1], hashes[index - 2]];
    return {
      own: [own, ...letterRuns(word)],
      pair: before === undefined ? undefined : join(before, own),
      triple: before === undefined || twoBefore === undefined ? undefined : join(join(twoBefore, before), own),
    };
  });
}

function letterRuns(word: string): number[] {
  const padded = `<${word}>`;
  const runs: number[] = [];
  for (let length = SHORTEST_RUN; length <= LONGEST_RUN; length++) {
    for (let start = 0; start + length <= padded.length; start++) {
      if (length < padded.length) {
        runs.push(hash(padded.slice(start, start + length), RUN_SEED));
      }
    }
  }
  return runs;
}

function stem(word: string): string {
  if (/^\d/.test(word)) {
    return kindOfNumber(Number(word));
  }
  const ending = endings.find(
    (candidate) => word.endsWith(candidate) && word.length - candidate.length >= SHORTEST_RUN,
  );
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

/** FNV-1a (Fowler, Noll, Vo), 32 bits. */
const SEED = 0x811c9dc5;
const RUN_SEED = 0x9e3779b9;
const PRIME = 0x01000193;

function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), PRIME);
  }
  return mix(value);
}

function join(first: number, second: number): number {
  return mix(Math.imul(first ^ (second >>> 7), PRIME) ^ Math.imul(second, 0x85ebca6b));
}

/** The finalizer of MurmurHash3 (Appleby), which makes the low bits depend on all others. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
