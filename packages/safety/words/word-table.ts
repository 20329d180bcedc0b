/** Words and their values, as they are written beside a bundle (`prepare-data.ts`). */
export type WordTable = Record<string, string>;

/** Looks up words in a table, of which a message needs few: a value is parsed when it is first looked up. */
export class WordLookup<T> {
  private readonly values: WordTable;
  private readonly parse: (value: string) => T;
  private readonly parsed = new Map<string, T>();

  constructor(values: WordTable, parse: (value: string) => T) {
    this.values = values;
    this.parse = parse;
  }

  /** All words of the table. */
  get words(): string[] {
    return Object.keys(this.values);
  }

  /** Returns the value of a word; undefined for a word that is not in the table. */
  get(word: string): T | undefined {
    let value = this.parsed.get(word);
    if (value === undefined && Object.hasOwn(this.values, word)) {
      value = this.parse(this.values[word] as string);
      this.parsed.set(word, value);
    }
    return value;
  }
}
