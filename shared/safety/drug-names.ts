import { plainLetters } from "./words.ts";

/** A name's words are compared without case, accents, apostrophes, hyphens and marks: "St. John’s wort" is `st johns wort`. */
export function plainWords(text: string): string {
  return plainLetters(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Finds names of drugs in texts. */
export class DrugNames {
  private readonly pattern: RegExp;
  private readonly written = new Map<string, string>();

  /** @param names as they are to be shown; plurals of them are found too */
  constructor(names: string[]) {
    for (const name of names) {
      this.written.set(plainWords(name), name);
    }
    const alternatives = [...this.written.keys()].toSorted((a, b) => b.length - a.length);
    this.pattern = new RegExp(`(?<= )(?:${alternatives.join("|")})(?=s? )`, "g");
  }

  /** The names in a text, each once, as they are to be shown. */
  in(text: string): string[] {
    const found = ` ${plainWords(text)} `.match(this.pattern) ?? [];
    return [...new Set(found)].map((name) => this.written.get(name) ?? name);
  }
}
