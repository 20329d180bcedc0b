import { parseDataFile } from "./data-file.ts";
import { isAscii, unicode } from "./unicode.ts";

/** The format of `data/disguises.json`, which explains its parts. */
interface DisguiseFile {
  words: string;
  between: string;
  leet: Record<string, string>;
  lookalikes: Record<string, string>;
}

const { words, between, leet, lookalikes } = parseDataFile<DisguiseFile>("disguises.json");
const DISGUISED = words.split(" ");

const MIXED = unicode("[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]+", "g");
const LATIN = unicode("\\p{Script=Latin}");

/** A run of letters, digits and marks that stand for letters. */
const TOKEN = /(?<![a-z0-9@$!|+*])[a-z0-9@$!|+*]{3,20}(?![a-z0-9@$!|+*])/g;

/** Single letters with the same kind of gap between them, at most as many as a short sentence has. */
const SPACED = /(?<![a-z0-9@$!|+*])[a-z0-9@$!|+](?:[ .\-_]{1,3}[a-z0-9@$!|+](?![a-z0-9@$|+*])){2,39}/g;

const skeletons = new Map(DISGUISED.map((word) => [skeleton(word), word]));
const joining = new Map(between.split(" ").map((word) => [skeleton(word), word]));
const LONGEST = Math.max(...DISGUISED.map(({ length }) => length));

/**
 * Reads disguised words of self-harm as they are meant: "k1ll mys3lf", "s u i c i d e", "su*cide", Cyrillic letters
 * within a Latin word. Anything else, such as "b12", "h1n1" or "2 x 500 mg", stays as it is. Linear in the length of
 * the text.
 *
 * @param text in lower case
 */
export function undisguised(text: string): string {
  const latin = isAscii(text)
    ? text
    : text.replaceAll(MIXED(), (word) => (LATIN().test(word) ? lookalikesRead(word) : word));
  return latin.replaceAll(SPACED, joined).replaceAll(TOKEN, meant);
}

function lookalikesRead(word: string): string {
  return [...word].map((letter) => lookalikes[letter] ?? letter).join("");
}

/** The word that a token stands for if at least half of it are letters, and one character is not. */
function meant(token: string): string {
  const letters = token.replaceAll(/[^a-z]/g, "").length;
  if (letters === token.length || letters * 2 < token.length) {
    return token;
  }
  const word = token.replace(/[!*+|]+$/, "");
  const rest = token.slice(word.length);
  const plain = skeleton(word);
  const found = plain.includes("*") ? withGaps(plain) : skeletons.get(plain);
  return found === undefined || word === found ? token : found + rest;
}

/** The word of which at most a third of the letters are written as `*`. */
function withGaps(pattern: string): string | undefined {
  const gaps = pattern.length - pattern.replaceAll("*", "").length;
  const matches = (plain: string) =>
    plain.length === pattern.length && [...pattern].every((letter, index) => letter === "*" || letter === plain[index]);
  return gaps * 3 > pattern.length ? undefined : [...skeletons].find(([plain]) => matches(plain))?.[1];
}

/** Letters that stand alone, joined to words if nothing but known words results and one of them is disguised. */
function joined(letters: string): string {
  const plain = skeleton(letters.replaceAll(/[ .\-_]/g, ""));
  /** For each end, the words that the letters before it consist of. */
  const ways: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= plain.length; end++) {
    for (let start = Math.max(0, end - LONGEST); start < end && !ways[end]; start++) {
      const part = plain.slice(start, end);
      const word = skeletons.get(part) ?? joining.get(part);
      const before = ways[start];
      ways[end] = word !== undefined && before ? [...before, word] : undefined;
    }
  }
  const found = ways[plain.length];
  return found?.some((word) => DISGUISED.includes(word)) ? found.join(" ") : letters;
}

function skeleton(word: string): string {
  return [...word].map((letter) => leet[letter] ?? letter).join("");
}
