import { isAscii, unicode } from "../words/unicode.ts";
import { WordLookup, type WordTable } from "../words/word-table.ts";
import { plainLetters } from "../words/words.ts";
import { Misspellings, type Named, prepareMisspellings } from "./misspellings.ts";

const NOT_IN_WORDS = unicode("[^\\p{L}\\p{N}]+", "g");
const MARKS = unicode("\\p{M}+", "g");
const HAN = unicode("\\p{Script=Han}");
const HANGUL = unicode("\\p{Script=Hangul}");

/** What grammar adds to a word: articles and prepositions in Arabic, endings in Russian. */
const ARABIC_PREFIX =
  /^(?:[\u0648\u0641]?(?:\u0628\u0627\u0644|\u0643\u0627\u0644|\u0627\u0644|\u0644\u0644)|[\u0648\u0641\u0628\u0644])(?=.{4})/;
const RUSSIAN_ENDING = /(?<=^[\u0400-\u04ff]{4,}?)(?:ами|ями|ов|ом|ем|ой|ах|ам|[аяоеуюыиьй])$/;

/** The longest name in a script without spaces, in characters. */
export const LONGEST_UNSPACED = 12;

/**
 * The words of a text without case, accents, apostrophes, hyphens and marks: "St. John’s wort" becomes `st johns wort`.
 * Names are compared in this form.
 */
export function plainWords(text: string): string {
  const plain = plainLetters(text);
  return isAscii(plain)
    ? plain.replaceAll(/[^a-z\d]+/g, " ").trim()
    : plain.replaceAll(MARKS(), "").normalize("NFC").replaceAll(NOT_IN_WORDS(), " ").trim();
}

/** A name in a list of words. */
export interface FoundName extends Named {
  /** The first word, and the one after the last. */
  start: number;
  end: number;
  /** The position in the first word, for scripts that are written without spaces; otherwise 0. */
  offset: number;
}

/** Names as {@link NameFinder} needs them. They are prepared while the functions are bundled. */
export interface PreparedNames {
  /** By words: the name as shown and the ids. By first word and a space: the number of words in the longest name. */
  names: WordTable;
  parts: WordTable;
}

/**
 * Prepares names.
 *
 * @param lists names separated by commas, with the ids of what they stand for; a name in several lists stands for
 *   everything. "take iron=iron tablet" is shown as "iron tablet".
 */
export function prepareNames(lists: { names: string; ids: string[] }[]): PreparedNames {
  const names = new Map<string, Named>();
  const longest = new Map<string, number>();
  for (const { names: list, ids } of lists) {
    for (const entry of list.split(", ")) {
      const [written = "", name = written] = entry.split("=");
      const words = plainWords(written).split(" ").map(stem);
      const key = words.join(" ");
      const named = names.get(key) ?? { name, ids: new Set() };
      names.set(key, { name: named.name, ids: new Set([...named.ids, ...ids]) });
      const first = `${words[0]} `;
      longest.set(first, Math.max(longest.get(first) ?? 0, words.length));
    }
  }
  const values = [...names].map(([key, { name, ids }]) => [key, [name, ...ids].join(SEPARATOR)] as const);
  return {
    names: Object.fromEntries([...values, ...[...longest].map(([key, words]) => [key, String(words)] as const)]),
    parts: prepareMisspellings([...names.keys()]),
  };
}

const SEPARATOR = "|";

function parseNamed(value: string): Named {
  const [name = "", ...ids] = value.split(SEPARATOR);
  return { name, ids: new Set(ids) };
}

/** Finds the names of drugs and conditions: in all supported scripts, with their plurals and with spelling mistakes. */
export class NameFinder {
  private readonly names: WordLookup<Named>;
  private readonly misspellings: Misspellings;
  /** Of each clause, which is read once for each name in it and in the clause before. */
  private readonly known = new WeakMap<string[], FoundName[]>();
  /** The first two characters of the names in scripts without spaces, for the first text in one. */
  private beginnings: Set<string> | undefined;

  constructor({ names, parts }: PreparedNames) {
    this.names = new WordLookup(names, parseNamed);
    this.misspellings = new Misspellings(parts, (word) => this.names.get(word));
  }

  /**
   * Returns the names in a text, in their order. Of names that overlap, the longest counts.
   *
   * @param words in the form of {@link plainWords}; they do not change
   */
  find(words: string[]): FoundName[] {
    const found = this.known.get(words) ?? this.search(words);
    this.known.set(words, found);
    return found;
  }

  private search(words: string[]): FoundName[] {
    const found: FoundName[] = [];
    const stems = words.map(stem);
    for (let start = 0; start < words.length; start++) {
      const match = this.at(stems, start);
      if (match) {
        found.push({ ...match.named, start, end: match.end, offset: 0 });
        start = match.end - 1;
      } else {
        found.push(...this.within(words[start] as string, start));
      }
    }
    return withoutRepeats(found);
  }

  private at(words: string[], start: number): { named: Named; end: number } | undefined {
    const first = words[start] as string;
    const most = Math.max(this.longest(first), this.longest(singular(first)));
    for (let end = Math.min(words.length, start + most); end > start; end--) {
      const key = words.slice(start, end).join(" ");
      const named = this.names.get(key) ?? this.names.get(singular(key));
      if (named) {
        return { named, end };
      }
    }
    return undefined;
  }

  /** The number of words in the longest name that starts with a word. */
  private longest(first: string): number {
    return Number(this.names.get(`${first} `)?.name ?? 0);
  }

  /** Names in a word that no list has as it is: in a text without spaces, behind a prefix, or misspelled. */
  private within(word: string, start: number): FoundName[] {
    const whole = { start, end: start + 1, offset: 0 };
    if (isAscii(word)) {
      const named = this.misspellings.correct(word);
      return named ? [{ ...named, ...whole }] : [];
    }
    if (HAN().test(word) || HANGUL().test(word)) {
      return this.inUnspaced(word, start);
    }
    const bare = word.replace(ARABIC_PREFIX, "");
    const named = this.names.get(bare) ?? this.misspellings.correct(stem(bare));
    return named ? [{ ...named, ...whole }] : [];
  }

  private inUnspaced(word: string, start: number): FoundName[] {
    const found: FoundName[] = [];
    this.beginnings ??= new Set(this.names.words.filter((name) => !isAscii(name)).map((name) => name.slice(0, 2)));
    for (let offset = 0; offset < word.length; offset++) {
      if (!this.beginnings.has(word.slice(offset, offset + 2))) {
        continue;
      }
      for (let length = Math.min(LONGEST_UNSPACED, word.length - offset); length > 1; length--) {
        const named = this.names.get(word.slice(offset, offset + length));
        if (named) {
          found.push({ ...named, start, end: start + 1, offset });
          offset += length - 1;
          break;
        }
      }
    }
    return found;
  }
}

/** How often a clause says something of a name: one that has it more often repeats itself, and takes long to read. */
const MOST_TIMES = 3;

function withoutRepeats(found: FoundName[]): FoundName[] {
  const times = new Map<string, number>();
  return found.filter(({ name }) => {
    times.set(name, (times.get(name) ?? 0) + 1);
    return (times.get(name) ?? 0) <= MOST_TIMES;
  });
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : name;
}

function stem(word: string): string {
  return isAscii(word) ? word : word.replace(RUSSIAN_ENDING, "");
}
