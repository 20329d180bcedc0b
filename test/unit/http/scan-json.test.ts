import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { mayHaveInexactNumbers, scanJson } from "../../../shared/http/scan-json.ts";

const EXACT = [
  "0 -0 0.0 1 -1 1.50 100 1e5 1E+5 1e-7 0e400 9007199254740992 9007199254740994 -9007199254740992 1e23",
  "0.1 0.30000000000000004 1e300 123456789012345 1234567890.12345 5e-324 1.7976931348623157e308 100000000000000000000000",
].flatMap((line) => line.split(" "));

const INEXACT = [
  "9007199254740993 -9007199254740993 12345678901234567890 1e400 -1e400 1e-400 0.1234567890123456789",
  "3.141592653589793238 1234567890.1234567890 9007199254740993.0 9.007199254740993e15 0.00000000000000000012345678901234567890",
].flatMap((line) => line.split(" "));

describe("a number", () => {
  test.each(EXACT)("%s is the same as a double", (number) => {
    expect(scanJson(`{"a":[1,{"b":${number}}]}`).inexactNumbers).toEqual([]);
  });

  test.each(INEXACT)("%s is not, and its path is found", (number) => {
    const text = `{"x":"${number}","a":[1,{"b":${number} }],"c":[${number}]}`;
    expect(mayHaveInexactNumbers(text)).toBe(true);
    expect(scanJson(text).inexactNumbers).toEqual([
      ["a", 1, "b"],
      ["c", 0],
    ]);
  });

  test("of any kind is only lost if the first look finds it, and agrees with exact arithmetic", () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/);
    fc.assert(
      fc.property(digits, (number) => {
        const isLost = scanJson(number).inexactNumbers.length > 0;
        expect(!isLost || mayHaveInexactNumbers(number)).toBe(true);
        expect({ number, isLost }).toEqual({ number, isLost: !isSame(number, String(Number(number))) });
      }),
    );
  });
});

/** Compares two decimal numbers as integers of the same scale. */
function isSame(first: string, second: string): boolean {
  const scaled = (number: string) => {
    const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
    return BigInt(whole + fraction) * 10n ** BigInt(300 + Number(exponent) - fraction.length);
  };
  return scaled(first) === scaled(second);
}

describe("a key that occurs twice", () => {
  test.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"n":[{"a":1},{"a":1,"b":{"a":1},"a":2}]}', ["n", 1, "a"]],
    ['{"a":{"b":1,"c":[{}],"b":"x"}}', ["a", "b"]],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['{ "a" : "{", "a" : "," }', ["a"]],
    ['{"":1,"":2}', [""]],
  ])("is found in %s", (text, path) => {
    expect(scanJson(text).repeatedKeys).toEqual([path]);
  });

  test.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":1}],"c":"a","d":["a","a"]}',
    "[]",
    "{}",
    '"a"',
    "1",
    '{"a":"\\"a","b":""}',
  ])("is not found in %s", (text) => {
    expect(scanJson(text)).toEqual({ inexactNumbers: [], repeatedKeys: [] });
  });

  test("is never found in what was serialized", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(scanJson(JSON.stringify(JSON.parse(text)))).toEqual({ inexactNumbers: [], repeatedKeys: [] });
      }),
    );
  });

  test("is found at any depth", () => {
    const deep = `${'{"a":'.repeat(50_000)}{"b":1e400,"b":1}${"}".repeat(50_000)}`;
    expect(scanJson(deep).repeatedKeys).toHaveLength(1);
  });
});
