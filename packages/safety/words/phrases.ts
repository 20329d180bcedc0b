import { WordLookup, type WordTable } from "./word-table.ts";
import type { Sentence } from "./words.ts";

/** The position of a phrase in a sentence: from word `start` up to but not including word `end`. */
export interface FoundPhrase {
  name: string;
  start: number;
  end: number;
}

/** The number of words between two phrases; less than 0 if they overlap. */
export function distance(first: FoundPhrase, second: FoundPhrase): number {
  return Math.max(first.start - second.end, second.start - first.end);
}

/** Words after a number that make it something other than a count of pills or drinks. */
const UNITS = new Set(
  "mg mgs milligram milligrams mcg g gram grams ml mls iu units percent minutes minute mins min hours hour hrs hr days day weeks week months month years year yrs steps step miles mile km am pm th".split(
    " ",
  ),
);

/**
 * Phrases, by their first word. Thousands of them are indexed while the functions are bundled
 * (`prepare-data.ts`), because a message looks at few of them.
 */
export interface PhraseIndex {
  /** The names of the groups. */
  names: string[];
  /** What stands between two words: nothing in languages that are read by characters. */
  separator: " " | "";
  /**
   * First word → continuations, separated by {@link NEXT}: what follows in a phrase, {@link GROUP}, and the position of
   * its group's name.
   */
  beginnings: WordTable;
  /** Whole phrases that begin with a class or a number, in the form of continuations. */
  others: string;
  /** Word → its classes as they are written in phrases, separated by spaces. */
  classes: WordTable;
}

/** A phrase with this at its end is only found at the end of a clause or sentence, or before a word of this class. */
const END = "$";
const AFTER_END = "@after";

const NONE: string[] = [];

/** Characters that JSON does not escape, because that takes time. */
const NEXT = "|";
const GROUP = "/";

/**
 * Indexes phrases.
 *
 * @param groups name → phrases, as lists of words as returned by `words.ts`, joined by `separator`. `@name` matches any
 *   word of a class, `?name` the same or nothing, `#` any number, `#12` any number of at least 12 that counts things
 *   rather than milligrams or minutes, and `$` the end of a sentence or clause, or the place before a word of the class
 *   `after`
 * @param classes name → words
 * @throws Error if a phrase contains a character that separates phrases in the index, or an end that no word can have
 */
export function indexOf(
  groups: Record<string, string[]>,
  separator: " " | "" = " ",
  classes: Record<string, string[]> = {},
): PhraseIndex {
  const beginnings = new Map<string, string>();
  let others = "";
  for (const [position, phrases] of Object.values(groups).entries()) {
    const wrong = phrases.find((phrase) => phrase.includes(NEXT));
    if (wrong !== undefined) {
      throw new Error(`A phrase contains "${NEXT}": ${wrong}.`);
    }
    const attached = separator === "" ? undefined : phrases.find((phrase) => /\S\$/.test(phrase));
    if (attached !== undefined) {
      throw new Error(`A phrase has no space before "${END}": ${attached}.`);
    }
    for (const [word, rest] of phrases.flatMap((phrase) => beginningsOf(phrase, separator))) {
      if (isVariable(word)) {
        others = withLine(others, word + separator + rest, position);
      } else {
        beginnings.set(word, withLine(beginnings.get(word), rest, position));
      }
    }
  }
  return {
    names: Object.keys(groups),
    separator,
    beginnings: Object.fromEntries(beginnings),
    others,
    classes: Object.fromEntries(classesByWord(classes)),
  };
}

function classesByWord(classes: Record<string, string[]>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, words] of Object.entries(classes)) {
    for (const word of new Set(words)) {
      const others = names.get(word);
      names.set(word, others === undefined ? `@${name}` : `${others} @${name}`);
    }
  }
  return names;
}

/** The possible continuations of a phrase's beginning, and the phrases that end there. */
interface Node {
  words: Continuations;
  /** After a class or a number. */
  variables: Continuations;
  ends: Set<string>;
}

/** What follows a word: continuations as in {@link PhraseIndex}, until a sentence gets there. */
type Continuations = Map<string, Node | string>;

/** A sentence, and what has been found in it so far. */
interface Text {
  sentence: Sentence;
  startsClause: boolean[];
  found: FoundPhrase[];
}

/** Finds phrases of several groups in sentences, in one pass over the words. */
export class Phrases {
  private readonly index: PhraseIndex;
  private readonly beginnings: WordLookup<Node>;
  /** The phrases that begin with a class or a number. */
  private readonly others: Node | undefined;
  private readonly classes: WordLookup<string[]>;

  constructor(index: PhraseIndex) {
    this.index = index;
    this.beginnings = new WordLookup(index.beginnings, (continuations) => this.read(continuations));
    this.others = index.others === "" ? undefined : this.read(index.others);
    this.classes = new WordLookup(index.classes, (names) => names.split(" "));
  }

  /**
   * Returns all occurrences, from left to right.
   *
   * @param startsClause for each word, whether a clause begins with it, if that is known
   */
  in(sentence: Sentence, startsClause: boolean[] = []): FoundPhrase[] {
    const text: Text = { sentence, startsClause, found: [] };
    for (let start = 0; start < sentence.length; start++) {
      const next = this.beginnings.get(sentence[start] as string);
      if (next) {
        this.follow(next, text, start, start + 1);
      }
      if (this.others) {
        this.follow(this.others, text, start, start);
      }
    }
    return text.found;
  }

  private follow(node: Node, text: Text, start: number, index: number): void {
    const { sentence, found } = text;
    for (const name of node.ends) {
      found.push({ name, start, end: index });
    }
    const word = sentence[index];
    if (node.words.has(END) && this.isEnd(text, index)) {
      for (const name of this.after(node.words, END)?.ends ?? []) {
        found.push({ name, start, end: index });
      }
    }
    if (word === undefined) {
      return;
    }
    const next = this.after(node.words, word);
    if (next) {
      this.follow(next, text, start, index + 1);
    }
    if (node.variables.size === 0) {
      return;
    }
    for (const name of this.classes.get(word) ?? NONE) {
      const inClass = this.after(node.variables, name);
      if (inClass) {
        this.follow(inClass, text, start, index + 1);
      }
    }
    if (!isNumber(word)) {
      return;
    }
    for (const count of node.variables.keys()) {
      if (isCount(word, count, sentence[index + 1])) {
        this.follow(this.after(node.variables, count) as Node, text, start, index + 1);
      }
    }
  }

  private isEnd({ sentence, startsClause }: Text, index: number): boolean {
    const word = sentence[index];
    return word === undefined || startsClause[index] === true || !!this.classes.get(word)?.includes(AFTER_END);
  }

  private after(continuations: Continuations, word: string): Node | undefined {
    let next = continuations.get(word);
    if (typeof next === "string") {
      next = this.read(next);
      continuations.set(word, next);
    }
    return next;
  }

  private read(continuations: string): Node {
    const [words, variables] = [new Map<string, string>(), new Map<string, string>()];
    const ends = new Set<string>();
    for (const line of continuations.split(NEXT)) {
      const end = line.lastIndexOf(GROUP);
      const position = line.slice(end + 1);
      for (const [word, rest] of beginningsOf(line.slice(0, end), this.index.separator)) {
        const following = isVariable(word) ? variables : words;
        if (word === "") {
          ends.add(this.index.names[Number(position)] as string);
        } else {
          following.set(word, withLine(following.get(word), rest, position));
        }
      }
    }
    return { words, variables, ends };
  }
}

/** Whether a word of a phrase stands for several: a class, or a number. */
function isVariable(word: string): boolean {
  return word.startsWith("@") || word.startsWith("#");
}

/**
 * The first word of a phrase and what follows it, or "" and "" at its end; several pairs if the first words may be left
 * out.
 */
function beginningsOf(phrase: string, separator: string): [word: string, rest: string][] {
  const end = separator === "" ? (FIRST_CHARACTER.exec(phrase)?.[0].length ?? 0) : phrase.indexOf(separator);
  const [word, rest] = end < 0 ? [phrase, ""] : [phrase.slice(0, end), phrase.slice(end + separator.length)];
  return word.startsWith("?") ? [...beginningsOf(rest, separator), [`@${word.slice(1)}`, rest]] : [[word, rest]];
}

/** Of two code units, if it is beyond the Basic Multilingual Plane. */
const FIRST_CHARACTER = /^./su;

function withLine(lines: string | undefined, rest: string, position: string | number): string {
  const line = rest + GROUP + position;
  return lines ? lines + NEXT + line : line;
}

function isNumber(word: string): boolean {
  return word.charCodeAt(0) < 58 && word.charCodeAt(0) > 47;
}

/** @param variable a class, which is no count, `#` for any number, or `#12` */
function isCount(word: string, variable: string, next: string | undefined): boolean {
  return (
    variable === "#" ||
    (variable.startsWith("#") && Number(word) >= Number(variable.slice(1)) && !UNITS.has(next ?? ""))
  );
}
