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

/** The possible continuations of a phrase's beginning, and the phrases that end there. */
interface Node {
  words: Map<string, Node>;
  classes: Map<string, Node>;
  /** By minimum number. */
  counts: Map<number, Node>;
  ends: string[];
}

/** Finds phrases of several groups in sentences, in one pass over the words. */
export class Phrases {
  private readonly root = emptyNode();
  private readonly classes: Record<string, Set<string>>;

  /**
   * @param groups name → phrases, as lists of words as returned by `words.ts`, joined by spaces. `@name` matches any
   *   word of a class, `?name` the same or nothing, `#` any number, and `#12` any number of at least 12 that counts
   *   things rather than milligrams or minutes
   * @param classes name → words
   */
  constructor(groups: Record<string, string[]>, classes: Record<string, string[]> = {}) {
    this.classes = Object.fromEntries(Object.entries(classes).map(([name, words]) => [name, new Set(words)]));
    for (const [name, phrases] of Object.entries(groups)) {
      for (const phrase of phrases) {
        add(this.root, phrase.split(" "), 0, name);
      }
    }
  }

  /** Returns all occurrences, from left to right. */
  in(sentence: Sentence): Found[] {
    const found: Found[] = [];
    for (let start = 0; start < sentence.length; start++) {
      this.follow(this.root, sentence, start, (name, end) => found.push({ name, start, end }));
    }
    return found;
  }

  private follow(node: Node, sentence: Sentence, index: number, report: (name: string, end: number) => void): void {
    for (const name of node.ends) {
      report(name, index);
    }
    const word = sentence[index];
    if (word === undefined) {
      return;
    }
    const next = node.words.get(word);
    if (next) {
      this.follow(next, sentence, index + 1, report);
    }
    for (const [name, after] of node.classes) {
      if (this.classes[name]?.has(word)) {
        this.follow(after, sentence, index + 1, report);
      }
    }
    for (const [least, after] of node.counts) {
      if (isCount(word, least, sentence[index + 1])) {
        this.follow(after, sentence, index + 1, report);
      }
    }
  }
}

function emptyNode(): Node {
  return { words: new Map(), classes: new Map(), counts: new Map(), ends: [] };
}

function add(node: Node, tokens: string[], index: number, name: string): void {
  const token = tokens[index];
  if (token === undefined) {
    if (!node.ends.includes(name)) {
      node.ends.push(name);
    }
    return;
  }
  if (token.startsWith("?")) {
    add(node, tokens, index + 1, name);
  }
  const next =
    token.startsWith("?") || token.startsWith("@")
      ? child(node.classes, token.slice(1))
      : token.startsWith("#")
        ? child(node.counts, Number(token.slice(1) || Number.NEGATIVE_INFINITY))
        : child(node.words, token);
  add(next, tokens, index + 1, name);
}

function child<Key>(nodes: Map<Key, Node>, key: Key): Node {
  const node = nodes.get(key) ?? emptyNode();
  nodes.set(key, node);
  return node;
}

function isCount(word: string, least: number, next: string | undefined): boolean {
  const isNumber = word.charCodeAt(0) < 58 && word.charCodeAt(0) > 47;
  return isNumber && (least === Number.NEGATIVE_INFINITY || (Number(word) >= least && !UNITS.has(next ?? "")));
}
