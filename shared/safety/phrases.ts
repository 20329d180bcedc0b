import { WordLookup, type WordTable } from "./word-table.ts";
import type { Sentence } from "./words.ts";

/** The position of a phrase in a sentence: from word `start` up to but not including word `end`. */
export interface Found {
  name: string;
  start: number;
  end: number;
}

/** Words after a number that make it something other than a count of pills or drinks. */
const UNITS = new Set(
  "mg mgs milligram milligrams mcg g gram grams ml mls iu units percent minutes minute mins min hours hour hrs hr days day weeks week months month years year yrs steps step miles mile km am pm th".split(
    " ",
  ),
);

/**
 * Phrases, by their first word. Thousands of them are indexed while the functions are bundled
 * (`infra/bundling/safety-data.ts`), because a message looks at few of them.
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
  /** The same for classes and numbers that phrases begin with. */
  others: [word: string, continuations: string][];
  /** Word → the names of its classes, separated by spaces. */
  classes: WordTable;
}

/** Characters that JSON does not escape, because that takes time. */
const NEXT = "|";
const GROUP = "/";

/**
 * Indexes phrases.
 *
 * @param groups name → phrases, as lists of words as returned by `words.ts`, joined by `separator`. `@name` matches any
 *   word of a class, `?name` the same or nothing, `#` any number, and `#12` any number of at least 12 that counts
 *   things rather than milligrams or minutes
 * @param classes name → words
 * @throws Error if a phrase contains a character that separates phrases in the index
 */
export function indexOf(
  groups: Record<string, string[]>,
  separator: " " | "" = " ",
  classes: Record<string, string[]> = {},
): PhraseIndex {
  const beginnings = new Map<string, string>();
  const others = new Map<string, string>();
  for (const [position, phrases] of Object.values(groups).entries()) {
    const wrong = phrases.find((phrase) => phrase.includes(NEXT));
    if (wrong !== undefined) {
      throw new Error(`A phrase contains "${NEXT}": ${wrong}.`);
    }
    for (const [word, rest] of phrases.flatMap((phrase) => beginningsOf(phrase, separator))) {
      const index = /^[@#]/.test(word) ? others : beginnings;
      index.set(word, withLine(index.get(word), rest, position));
    }
  }
  return {
    names: Object.keys(groups),
    separator,
    beginnings: Object.fromEntries(beginnings),
    others: [...others],
    classes: Object.fromEntries(classesByWord(classes)),
  };
}

function classesByWord(classes: Record<string, string[]>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, words] of Object.entries(classes)) {
    for (const word of new Set(words)) {
      const others = names.get(word);
      names.set(word, others === undefined ? name : `${others} ${name}`);
    }
  }
  return names;
}

/** The possible continuations of a phrase's beginning, and the phrases that end there. */
interface Node {
  /** Continuations as in {@link PhraseIndex}, until a sentence gets here: then they are in the properties below. */
  unread: string;
  words: Map<string, Node> | undefined;
  classes: { name: string; after: Node }[] | undefined;
  counts: { least: string; after: Node }[] | undefined;
  ends: string[];
}

/** Finds phrases of several groups in sentences, in one pass over the words. */
export class Phrases {
  private readonly index: PhraseIndex;
  private readonly beginnings: WordLookup<Node>;
  /** The phrases that begin with a class or a number. */
  private readonly others = nodeOf("");
  private readonly classes: WordLookup<string[]>;

  constructor(index: PhraseIndex) {
    this.index = index;
    this.beginnings = new WordLookup(index.beginnings, nodeOf);
    this.classes = new WordLookup(index.classes, (names) => names.split(" "));
    for (const [word, continuations] of index.others) {
      nodeAfter(this.others, word).unread = continuations;
    }
  }

  /** Returns all occurrences, from left to right. */
  in(sentence: Sentence): Found[] {
    const found: Found[] = [];
    for (let start = 0; start < sentence.length; start++) {
      const next = this.beginnings.get(sentence[start] as string);
      if (next) {
        this.follow(next, sentence, start, start + 1, found);
      }
      if (this.index.others.length > 0) {
        this.follow(this.others, sentence, start, start, found);
      }
    }
    return found;
  }

  private follow(node: Node, sentence: Sentence, start: number, index: number, found: Found[]): void {
    if (node.unread !== "") {
      this.read(node);
    }
    for (const name of node.ends) {
      found.push({ name, start, end: index });
    }
    const word = sentence[index];
    if (word === undefined) {
      return;
    }
    const next = node.words?.get(word);
    if (next) {
      this.follow(next, sentence, start, index + 1, found);
    }
    const classes = node.classes && this.classes.get(word);
    for (const { name, after } of (classes && node.classes) ?? NONE) {
      if (classes?.includes(name)) {
        this.follow(after, sentence, start, index + 1, found);
      }
    }
    for (const { least, after } of node.counts ?? NONE) {
      if (isCount(word, least, sentence[index + 1])) {
        this.follow(after, sentence, start, index + 1, found);
      }
    }
  }

  private read(node: Node): void {
    for (const line of node.unread.split(NEXT)) {
      const end = line.lastIndexOf(GROUP);
      const position = line.slice(end + 1);
      for (const [word, rest] of beginningsOf(line.slice(0, end), this.index.separator)) {
        if (word === "") {
          addTo(node.ends, this.index.names[Number(position)] as string);
        } else {
          const next = nodeAfter(node, word);
          next.unread = withLine(next.unread, rest, position);
        }
      }
    }
    node.unread = "";
  }
}

/** For nodes without continuations of a kind. */
const NONE: never[] = [];

function nodeOf(unread: string): Node {
  return { unread, words: undefined, classes: undefined, counts: undefined, ends: [] };
}

function nodeAfter(node: Node, word: string): Node {
  const name = word.slice(1);
  if (word.startsWith("@")) {
    node.classes ??= [];
    return node.classes.find((one) => one.name === name)?.after ?? added(node.classes, { name, after: nodeOf("") });
  }
  if (word.startsWith("#")) {
    node.counts ??= [];
    return (
      node.counts.find((one) => one.least === name)?.after ?? added(node.counts, { least: name, after: nodeOf("") })
    );
  }
  node.words ??= new Map();
  const next = node.words.get(word) ?? nodeOf("");
  node.words.set(word, next);
  return next;
}

function added<T extends { after: Node }>(continuations: T[], continuation: T): Node {
  continuations.push(continuation);
  return continuation.after;
}

/**
 * The first word of a phrase and what follows it, or "" and "" at its end; several pairs if the first words may be left
 * out.
 */
function beginningsOf(phrase: string, separator: string): [word: string, rest: string][] {
  const end = separator === "" ? firstCharacter(phrase).length : phrase.indexOf(separator);
  const [word, rest] = end < 0 ? [phrase, ""] : [phrase.slice(0, end), phrase.slice(end + separator.length)];
  return word.startsWith("?") ? [...beginningsOf(rest, separator), [`@${word.slice(1)}`, rest]] : [[word, rest]];
}

/** Of two code units, if it is beyond the Basic Multilingual Plane; "" for an empty text. */
function firstCharacter(text: string): string {
  return text === "" ? "" : String.fromCodePoint(text.codePointAt(0) as number);
}

function withLine(lines: string | undefined, rest: string, position: string | number): string {
  const line = rest + GROUP + position;
  return lines ? lines + NEXT + line : line;
}

function addTo(names: string[], name: string): void {
  if (!names.includes(name)) {
    names.push(name);
  }
}

/** @param least "" for any number */
function isCount(word: string, least: string, next: string | undefined): boolean {
  const isNumber = word.charCodeAt(0) < 58 && word.charCodeAt(0) > 47;
  return isNumber && (least === "" || (Number(word) >= Number(least) && !UNITS.has(next ?? "")));
}
