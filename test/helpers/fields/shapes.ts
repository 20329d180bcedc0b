/** Fills a length, in UTF-16 code units, with a text. */
const fill = (text: string) => (length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A text of a length that differs everywhere, from a range of characters. */
const any = (first: number, count: number) => (length: number) =>
  Array.from({ length }, (_, at) => String.fromCharCode(first + ((at * 7_919) % count))).join("");

/**
 * Texts of any length that are hard to read: those that have made a pattern, an index or a list slow, here or in other
 * services, and what nobody writes.
 */
export const TEXT_SHAPES: Record<string, (length: number) => string> = {
  "one word": fill("a"),
  "many words": (length) => Array.from({ length: length / 7 }, (_, at) => `w${(at * 7_919).toString(36)}`).join(" "),
  "a repeated prefix": fill("abcd "),
  "ever longer words": (length) => Array.from({ length: Math.sqrt(length) }, (_, at) => "a".repeat(at)).join(" "),
  blanks: (length) => `a${" ".repeat(Math.max(0, length - 2))}b`,
  "a number sign and blanks": (length) => `#${" ".repeat(Math.max(0, length - 2))}\r`,
  "carriage returns": fill("#\r"),
  "line breaks": fill("\n "),
  "one Han character": fill("药"),
  "Han characters": any(0x4e00, 20_000),
  "names in Han characters": fill("阿司匹林哮喘"),
  "names in Hangul": fill("아스피린 타이레놀"),
  "Arabic prefixes": fill("وال"),
  "Cyrillic endings": fill("аспиринами"),
  digits: fill("1"),
  "numbers and units": fill("5 year 1.5,"),
  brackets: fill("[({"),
  "markers of a level": fill("[[level: emergency "),
  "quotation marks": fill("\"'“"),
  "zero-width characters": fill("\u200b"),
  "combining marks": (length) => `a${"\u0301".repeat(Math.max(0, length - 1))}`,
  "characters that stand for eighteen": fill("\ufdfa"),
  "emoji and joiners": fill("👩‍👩‍👧 "),
  "full stops": fill("."),
  "single letters": fill("s u i c "),
  "names of drugs": fill("warfarin and aspirin "),
  denials: fill("no asthma, but not "),
  "nested JSON": (length) => `{"name":${"[".repeat(length / 2 - 6)}${"]".repeat(length / 2 - 6)}}`,
  escapes: fill('\\"\u0000'),
};

const nested = (levels: number) => {
  let value: unknown = "penicillin";
  for (let level = 0; level < levels; level++) {
    value = level % 2 === 0 ? [value] : { status: value };
  }
  return { value };
};

/** Objects of free form that are hard to read. */
export const OBJECT_SHAPES: Record<string, unknown> = {
  "members that are not functions": {
    status: { toString: 1, valueOf: 1, toJSON: 1 },
    constructor: null,
    ["__proto__"]: 1,
  },
  "many numbers": { status: Array.from({ length: 9_900 }, () => 1) },
  "many names": Object.fromEntries(Array.from({ length: 9_900 }, (_, at) => [`status${at}`, "resolved"])),
  "many lists": { status: Array.from({ length: 4_900 }, () => [1]) },
  "many texts": { notes: Array.from({ length: 4_900 }, () => "asthma, ") },
  "deep nesting": nested(120),
};
