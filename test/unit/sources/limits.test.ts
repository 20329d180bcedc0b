import { describe, expect, test } from "@jest/globals";
import { passagesOf } from "../../../shared/sources/passages.ts";
import { indexOf } from "../../../shared/sources/search-index.ts";
import { growth } from "../../helpers/growth.ts";

const split = (text: string) => passagesOf({ id: "s", title: "Title", text, language: "de-DE-DE" });

/** Any character of four scripts of thousands of characters, so that few words begin alike. */
const anyHan = (size: number) =>
  Array.from({ length: size }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7_919) % 20_000))).join("");

const SHAPES: [string, (size: number) => string][] = [
  ["blanks in a heading", (size) => `# a${" ".repeat(size)}b`],
  ["blanks and a lone CR behind a number sign", (size) => `#${" ".repeat(size)}\r`],
  ["number signs in a heading", (size) => `# a${" #".repeat(size)}b`],
  ["headings", (size) => "# a\nb\n".repeat(size)],
  ["line breaks and blanks", (size) => `${"\n ".repeat(size)}a`],
  ["one word", (size) => "a".repeat(size)],
  ["ever longer words", (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => "a".repeat(at)).join(" ")],
  ["Han characters", anyHan],
  ["ends of sentences", (size) => "a. ".repeat(size)],
];

describe("a source takes linear time in its length", () => {
  test.each(SHAPES)("to be divided: %s", (_, text) => {
    expect(growth(text, split, 8_000)).toBeLessThan(2.5);
  });

  test.each(SHAPES)("to be indexed: %s", (_, text) => {
    expect(growth((size) => split(text(size)), indexOf, 4_000)).toBeLessThan(2.5);
  });
});

describe("a question", () => {
  const library = indexOf(
    split(Array.from({ length: 6_000 }, (_, at) => `abcd${(at * 7_919).toString(36)}`).join(" ")),
  );

  test.each<[string, (size: number) => string]>([
    ["one word many times", (size) => "abcd ".repeat(size)],
    ["many words that begin alike", (size) => Array.from({ length: size }, (_, at) => `abcd${at}`).join(" ")],
    ["one long word", (size) => "abcd".repeat(size)],
    ["Han characters", anyHan],
  ])("is searched for in bounded time: %s", (_, question) => {
    expect(growth(question, library.find, 800, 1.3)).toBeLessThan(1.5);
  });
});
