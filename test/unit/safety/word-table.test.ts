import { describe, expect, test } from "@jest/globals";
import { tableOf, WordLookup } from "../../../shared/safety/word-table.ts";

const words = Array.from({ length: 5_000 }, (_, index) => `${index.toString(36)}ñ胸`);
const lookup = new WordLookup(tableOf(new Map(words.map((word, index) => [word, String(index)]))), Number);

describe("a word table", () => {
  test("has the value of each word", () => {
    expect(words.map((word) => lookup.get(word))).toEqual(words.map((_, index) => index));
  });

  test.each(["", "x", "胸", "1ñ", "1ñ胸=", "1ñ胸=1", "=", ";", "0ñ胸=0;1ñ胸"])("does not have %j", (word) => {
    expect(lookup.get(word)).toBeUndefined();
  });

  test("does not have words with the same beginning or end", () => {
    expect(words.flatMap((word) => [lookup.get(`${word}s`), lookup.get(`.${word}`)])).toEqual(
      words.flatMap(() => [undefined, undefined]),
    );
  });

  test("may have values that are empty or contain the character after a word", () => {
    const table = new WordLookup(tableOf(new Map(Object.entries({ a: "", b: "=c" }))), (value) => [value]);
    expect([table.get("a"), table.get("b")]).toEqual([[""], ["=c"]]);
  });

  test("may be empty", () => {
    expect(new WordLookup(tableOf(new Map()), String).get("a")).toBeUndefined();
  });

  test.each([
    ["a=b", "c"],
    ["a", "b;c"],
  ])("rejects %j with the value %j, because it contains a separator", (word, value) => {
    expect(() => tableOf(new Map([[word, value]]))).toThrow("separator");
  });
});
