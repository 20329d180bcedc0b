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
  /** First word → lines: what follows in a phrase, a tab, and the position of its group's name. */
  beginnings: Record<string, string>;
  /** The lines of phrases that begin with a class or a number. */
  others: string;
}

/**
 * Indexes phrases.
 *
 * @param groups name → phrases, as lists of words as returned by `words.ts`, joined by `separator`. `@name` matches any
 *   word of a class, `?name` the same or nothing, `#` any number, and `#12` any number of at least 12 that counts
 *   things rather than milligrams or minutes
 */
export function indexOf(groups: Record<string, string[]>, separator: " " | "" = " "): PhraseIndex {
  const beginnings: Record<string, string> = {};
  let others = "";
  for (const [position, phrases] of Object.values(groups).entries()) {
    for (const [word, rest] of phrases.flatMap((phrase) => beginningsOf(phrase, separator))) {
      if (/^[@#]/.test(word)) {
        others = withLine(others, rest === "" ? word : `${word}${separator}${rest}`, position);
      } else {
        beginnings[word] = withLine(Object.hasOwn(beginnings, word) ? beginnings[word] : "", rest, position);
      }
    }
  }
  return { names: Object.keys(groups), separator, beginnings, others };
}

/** The possible continuations of a phrase's beginning, and the phrases that end there. */
interface Node {
  /** Lines as in {@link PhraseIndex}, until a sentence gets here: then they are in the properties below. */
  unread: string;
  words?: Map<string, Node>;
  classes?: Map<string, Node>;
  /** By `#` and the least number. */
  counts?: Map<string, Node>;
  ends: string[];
}

/** Finds phrases of several groups in sentences, in one pass over the words. */
export class Phrases {
  private readonly root: Node;
  private readonly index: PhraseIndex;
  private readonly classes: Record<string, Set<string>>;

  /** @param classes name → words */
  constructor(index: PhraseIndex, classes: Record<string, string[]> = {}) {
    this.index = index;
    this.classes = Object.fromEntries(Object.entries(classes).map(([name, words]) => [name, new Set(words)]));
    this.root = { unread: index.others, ends: [] };
  }

  /** Returns all occurrences, from left to right. */
  in(sentence: Sentence): Found[] {
    const found: Found[] = [];
    for (let start = 0; start < sentence.length; start++) {
      this.begin(sentence[start] as string);
      this.follow(this.root, sentence, start, (name, end) => found.push({ name, start, end }));
    }
    return found;
  }

  private follow(node: Node, sentence: Sentence, index: number, report: (name: string, end: number) => void): void {
    if (node.unread !== "") {
      this.read(node);
    }
    for (const name of node.ends) {
      report(name, index);
    }
    const word = sentence[index];
    if (word === undefined) {
      return;
    }
    const next = node.words?.get(word);
    if (next) {
      this.follow(next, sentence, index + 1, report);
    }
    for (const [name, after] of node.classes ?? []) {
      if (this.classes[name]?.has(word)) {
        this.follow(after, sentence, index + 1, report);
      }
    }
    for (const [count, after] of node.counts ?? []) {
      if (isCount(word, count.slice(1), sentence[index + 1])) {
        this.follow(after, sentence, index + 1, report);
      }
    }
  }

  private begin(word: string): void {
    const { beginnings } = this.index;
    if (!this.root.words?.has(word) && Object.hasOwn(beginnings, word)) {
      nodeAfter(this.root, word).unread = beginnings[word] as string;
    }
  }

  private read(node: Node): void {
    for (const line of node.unread.split("\n")) {
      const end = line.lastIndexOf("\t");
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
  return lines ? `${lines}\n${rest}\t${position}` : `${rest}\t${position}`;
}

function nodeAfter(node: Node, word: string): Node {
  const kind = word.startsWith("@") ? "classes" : word.startsWith("#") ? "counts" : "words";
  const key = kind === "classes" ? word.slice(1) : word;
  node[kind] ??= new Map();
  const next = node[kind].get(key) ?? { unread: "", ends: [] };
  node[kind].set(key, next);
  return next;
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
