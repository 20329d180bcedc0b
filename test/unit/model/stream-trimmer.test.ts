import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { StreamTrimmer } from "../../../shared/model/stream-trimmer.ts";
import { growth } from "../../helpers/growth.ts";

/** Passes pieces through the trimmer and returns its output, as pieces and as a whole. */
function flow(pieces: string[]) {
  const passed: string[] = [];
  const textFlow = new StreamTrimmer((text) => passed.push(text));
  for (const piece of pieces) {
    textFlow.push(piece);
  }
  return { passed, whole: textFlow.end() };
}

/** Texts with all kinds of whitespace, characters of two code units, and lone surrogates. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", " ", "\n", "\t", "\u00a0", "\u3000", "é", "水", "😀", "👍", "\ud83d", "\ude00"),
});

/** A text split anywhere, even between the surrogates of a character. */
const pieces = fc.tuple(text, fc.array(fc.nat(40))).map(([whole, cuts]) => {
  const ends = [...cuts.filter((cut) => cut < whole.length), whole.length].sort((a, b) => a - b);
  return ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
});

describe("a text that arrives in pieces", () => {
  test("is passed on trimmed, in whole characters and as it arrives, however it was split", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        let passed = "";
        let pushed = "";
        const trimmer = new StreamTrimmer((piece) => {
          expect(piece.isWellFormed()).toBe(true);
          expect(piece).not.toBe("");
          passed += piece;
        });
        for (const part of parts) {
          trimmer.push(part);
          pushed += part;
          // Everything except trailing whitespace and half a character.
          const whole = pushed.trim().replace(/[\ud800-\udbff]$/, "");
          expect(passed.trimEnd()).toBe(whole.toWellFormed().trimEnd());
        }
        const whole = trimmer.end();
        expect(whole).toBe(pushed.trim().toWellFormed());
        expect(passed).toBe(whole);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  ["whitespace after a word", ["word"], " "],
  ["words", [], "word "],
  ["halves of characters", [], "\ud83d"],
  ["whitespace only", [], "\n"],
])("%s in many pieces takes linear time in their number", (_, start, piece) => {
  const pieces = (size: number) => [...start, ...Array<string>(size).fill(piece)];
  expect(growth(pieces, flow, 10_000)).toBeLessThan(2.5);
});
