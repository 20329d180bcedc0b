import { isAscii, unicode } from "./unicode.ts";

/** Words of self-harm that people disguise so that filters do not find them; in languages of Latin letters. */
const DISGUISED =
  "suicide suicidal suicidio kill killing killed unalive unaliving myself himself herself self selfharm harm harming die dying dead death murder overdose overdosed hang hanging noose cutting cuts cut pills wrist wrists bleed bleeding abuse abused rape raped morir morrer matarme matar muerte mourir sterben".split(
    " ",
  );

/** Short words with which letters that stand alone may be joined: "k i l l m y s e l f", "i w a n t t o d i e". */
const BETWEEN = "i im me my to want wanna will gonna am all of the end life it take".split(" ");

/** Digits and marks that stand for a letter. Both `1` and `l` are read as `i`, in words and messages alike. */
const LEET: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "i",
  "+": "t",
  l: "i",
};

/** Letters of other scripts that look like a Latin one. */
const LOOKALIKES = new Map(
  Object.entries({
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ѕ: "s",
    ј: "j",
    к: "k",
    м: "m",
    н: "h",
    т: "t",
    в: "b",
    ԁ: "d",
    һ: "h",
    ӏ: "l",
    ԛ: "q",
    ԝ: "w",
    ɡ: "g",
    ι: "i",
    ο: "o",
    α: "a",
    ε: "e",
    κ: "k",
    ν: "v",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ѵ: "v",
    ı: "i",
  }),
);

const MIXED = unicode("[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]+", "g");
const LATIN = unicode("\\p{Script=Latin}");

/** A run of letters, digits and marks that stand for letters. */
const TOKEN = /(?<![a-z0-9@$!|+*])[a-z0-9@$!|+*]{3,20}(?![a-z0-9@$!|+*])/g;

/** Single letters with the same kind of gap between them, at most as many as a short sentence has. */
const SPACED = /(?<![a-z0-9@$!|+*])[a-z0-9@$!|+](?:[ .\-_]{1,3}[a-z0-9@$!|+](?![a-z0-9@$|+*])){2,39}/g;

const skeletons = new Map(DISGUISED.map((word) => [skeleton(word), word]));
const between = new Map(BETWEEN.map((word) => [skeleton(word), word]));
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
  return [...word].map((letter) => LOOKALIKES.get(letter) ?? letter).join("");
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
      const word = skeletons.get(part) ?? between.get(part);
      const before = ways[start];
      ways[end] = word !== undefined && before ? [...before, word] : undefined;
    }
  }
  const words = ways[plain.length];
  return words?.some((word) => DISGUISED.includes(word)) ? words.join(" ") : letters;
}

function skeleton(word: string): string {
  return [...word].map((letter) => LEET[letter] ?? letter).join("");
}
