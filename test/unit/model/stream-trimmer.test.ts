import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { StreamTrimmer } from "../../../shared/model/stream-trimmer.ts";
import { growth } from "../../helpers/growth.ts";

/** Passes pieces through, and returns what came out: piece by piece, and as a whole. */
function flow(pieces: string[]) {
  const passed: string[] = [];
  const textFlow = new StreamTrimmer((text) => passed.push(text));
  for (const piece of pieces) {
    textFlow.push(piece);
  }
  return { passed, whole: textFlow.end() };
}

/** Texts with white space of all sorts, characters of two code units, and halves of such. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", " ", "\n", "\t", "\u00a0", "\u3000", "é", "水", "😀", "👍", "\ud83d", "\ude00"),
});

/** A text, cut anywhere: between the halves of a character as well. */
const pieces = fc.tuple(text, fc.array(fc.nat(40))).map(([whole, cuts]) => {
  const ends = [...cuts.filter((cut) => cut < whole.length), whole.length].sort((a, b) => a - b);
  return ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
});

describe("a text that arrives in pieces", () => {
  test("is passed on as its trimmed self, however it was cut", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const { passed, whole } = flow(parts);
        expect(whole).toBe(parts.join("").trim().toWellFormed());
        expect(passed.join("")).toBe(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  test("never has a character cut in two, nor an empty piece", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        for (const piece of flow(parts).passed) {
          expect(piece.isWellFormed()).toBe(true);
          expect(piece).not.toBe("");
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("is passed on as it comes: at any time, all but white space and half a character", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        let passed = "";
        let pushed = "";
        const textFlow = new StreamTrimmer((piece) => {
          passed += piece;
        });
        for (const part of parts) {
          textFlow.push(part);
          pushed += part;
          const whole = pushed.trim().replace(/[\ud800-\udbff]$/, "");
          expect(passed.trimEnd()).toBe(whole.toWellFormed().trimEnd());
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("holds the first half of a character until the second comes", () => {
    expect(flow(["a \ud83d", "\ude00 b"]).passed).toEqual(["a ", "😀 b"]);
  });

  test("that is white space only is passed on not at all", () => {
    expect(flow([" ", "\n", "\t "])).toEqual({ passed: [], whole: "" });
  });

  test("gives the same whole however often its end is asked for", () => {
    const passed: string[] = [];
    const textFlow = new StreamTrimmer((piece) => passed.push(piece));
    textFlow.push("half \ud83d");
    expect(textFlow.end()).toBe("half \ufffd");
    expect(textFlow.end()).toBe("half \ufffd");
    expect(passed.join("")).toBe("half \ufffd");
  });
});

test.each([
  ["white space after a word", ["word"], " "],
  ["words", [], "word "],
  ["halves of characters", [], "\ud83d"],
  ["white space only", [], "\n"],
])("%s in many pieces takes time in proportion to their number", (_, start, piece) => {
  const pieces = (size: number) => [...start, ...Array<string>(size).fill(piece)];
  expect(growth(pieces, flow, 10_000)).toBeLessThan(2.5);
});
