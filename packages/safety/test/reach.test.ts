import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Reach } from "../screening/reach.ts";
import { distance, type FoundPhrase } from "../words/phrases.ts";

const phrase = fc
  .record({ start: fc.nat(40), length: fc.integer({ min: 1, max: 4 }) })
  .map(({ start, length }): FoundPhrase => ({ name: "x", start, end: start + length }));
const phrases = fc.array(phrase, { maxLength: 8 });

describe("a phrase reaches another one", () => {
  test("if fewer words are between them than it reaches, and no break", () => {
    fc.assert(
      fc.property(phrases, phrases, phrase, fc.nat(12), (others, breaks, one, words) => {
        const isBetween = (each: FoundPhrase, other: FoundPhrase) =>
          each.start >= Math.min(one.end, other.end) &&
          (each.start < Math.max(one.start, other.start) || each.start === one.start);
        const expected = others.filter(
          (other) => distance(one, other) < words && !breaks.some((each) => isBetween(each, other)),
        );
        const byPlace = (all: FoundPhrase[]) => all.map(({ start, end }) => [start, end]).sort();
        expect(byPlace(new Reach(others, breaks, words).to(one))).toEqual(byPlace(expected));
      }),
    );
  });
});
