import { hashOf } from "./hash.ts";

/**
 * Words and their values as one text, with a hash table. It is made while the functions are bundled
 * (`infra/bundling/safety-data.ts`) and used as it is: a map of thousands of words takes milliseconds to fill, and a
 * message looks up few of them.
 */
export interface WordTable {
  /** Word, `=`, value and `;` for each word. */
  text: string;
  /**
   * 32-bit numbers in Base64: the lower 24 bits are 1 plus a word's position in the text, the others are from its hash.
   */
  slots: string;
}

const AFTER_WORD = "=";
const AFTER_VALUE = ";";

/** The bits of a slot that are a position. */
const POSITION = 2 ** 24 - 1;

/** The share of slots that are used is at most this. */
const LOAD = 0.7;

/**
 * Makes a table.
 *
 * @throws Error if a word or value contains a separator
 */
export function tableOf(values: Map<string, string>): WordTable {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(values.size / LOAD + 1)));
  let text = "";
  for (const [word, value] of values) {
    if (word.includes(AFTER_WORD) || value.includes(AFTER_VALUE)) {
      throw new Error(`A word or its value contains a separator: ${word}.`);
    }
    const hash = hashOf(word);
    let slot = hash & (slots.length - 1);
    while (slots[slot] !== 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = (hash & ~POSITION) | (text.length + 1);
    text += word + AFTER_WORD + value + AFTER_VALUE;
  }
  return { text, slots: Buffer.from(slots.buffer).toString("base64") };
}

/** Looks up words in a table. */
export class WordLookup<T> {
  private readonly text: string;
  private readonly slots: Uint32Array;
  private readonly parse: (value: string) => T;
  /** By position in the text. */
  private readonly parsed = new Map<number, T>();

  /** @param parse converts a value when it is first looked up */
  constructor({ text, slots }: WordTable, parse: (value: string) => T) {
    this.text = text;
    this.slots = new Uint32Array(new Uint8Array(Buffer.from(slots, "base64")).buffer);
    this.parse = parse;
  }

  /** Returns the value of a word; undefined for a word that is not in the table. */
  get(word: string): T | undefined {
    const hash = hashOf(word);
    const last = this.slots.length - 1;
    for (let index = hash & last; this.slots[index] !== 0; index = (index + 1) & last) {
      const slot = this.slots[index] as number;
      const end = (slot & POSITION) - 1 + word.length;
      if (((slot ^ hash) & ~POSITION) === 0 && this.text.startsWith(word + AFTER_WORD, end - word.length)) {
        return this.valueAt(end + AFTER_WORD.length);
      }
    }
    return undefined;
  }

  private valueAt(start: number): T {
    let value = this.parsed.get(start);
    if (value === undefined) {
      value = this.parse(this.text.slice(start, this.text.indexOf(AFTER_VALUE, start)));
      this.parsed.set(start, value);
    }
    return value;
  }
}
