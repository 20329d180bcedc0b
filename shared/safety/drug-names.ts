import { isAscii, unicode } from "./unicode.ts";
import { plainLetters } from "./words.ts";

const NOT_IN_WORDS = unicode("[^\\p{L}\\p{N}]+", "g");

/**
 * The words of a text without case, accents, apostrophes, hyphens and marks: "St. John’s wort" becomes `st johns wort`.
 * Names are compared in this form.
 */
export function plainWords(text: string): string {
  const plain = plainLetters(text);
  return plain.replaceAll(isAscii(plain) ? /[^a-z\d]+/g : NOT_IN_WORDS(), " ").trim();
}

/** Finds names of drugs. */
export class DrugNames {
  private readonly pattern: RegExp;
  private readonly written = new Map<string, string>();

  /** @param names as shown to the user; their plurals are found too */
  constructor(names: string[]) {
    for (const name of names) {
      this.written.set(plainWords(name), name);
    }
    const alternatives = [...this.written.keys()].toSorted((a, b) => b.length - a.length);
    this.pattern = new RegExp(`(?<= )(?:${alternatives.join("|")})(?=s? )`, "g");
  }

  /**
   * Returns the names in a text, each once, as shown to the user.
   *
   * @param words the text in the form of {@link plainWords}, which the caller computes once for all finders
   */
  in(words: string): string[] {
    const found = ` ${words} `.match(this.pattern) ?? [];
    return [...new Set(found)].map((name) => this.written.get(name) ?? name);
  }
}
