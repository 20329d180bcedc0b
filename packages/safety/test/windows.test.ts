import { describe, expect, test } from "@jest/globals";
import { partsOf, WINDOW_WORDS, windowsAroundCore } from "../words/windows.ts";

const sentences = (words: number, perSentence: number) =>
  Array.from({ length: Math.ceil(words / perSentence) }, () => Array.from({ length: perSentence }, () => "word"));

describe("the parts of a message", () => {
  test("are its sentences and their runs", () => {
    expect(partsOf(sentences(24, 8))).toEqual([
      { start: 0, end: 8 },
      { start: 0, end: 16 },
      { start: 0, end: 24 },
      { start: 8, end: 16 },
      { start: 8, end: 24 },
      { start: 16, end: 24 },
    ]);
  });

  test("divide a sentence of 100 words without punctuation", () => {
    const parts = partsOf(sentences(100, 100));
    expect(parts.length).toBeGreaterThan(50);
    expect(parts).toContainEqual({ start: 40, end: 55 });
  });

  test.each([1, 2, 3, 7, 24, 25, 30, 79, 80, 81, 200, 1_000, 8_000])(
    "are bounded in number and cover 8,000 words in sentences of %i",
    (perSentence) => {
      const parts = partsOf(sentences(8_000, perSentence));
      expect(parts.length).toBeLessThanOrEqual(2_400);
      const covered = new Set(
        parts.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
      );
      expect(covered.size).toBeGreaterThanOrEqual(8_000);
    },
  );
});

describe("the windows of a message as a whole", () => {
  test("are its core, with and without the harmless sentences around it", () => {
    expect(windowsAroundCore(sentences(15, 5), (_, index) => index !== 1)).toEqual([
      { start: 5, end: 10 },
      { start: 0, end: 10 },
      { start: 0, end: 15 },
      { start: 5, end: 10 },
      { start: 5, end: 15 },
    ]);
  });

  test.each([
    ["harmless", () => true],
    ["alarming", () => false],
    ["mixed", (_: unknown, index: number) => index % 2 === 0],
  ])("are few for 8,000 short sentences that are %s", (_, isHarmless) => {
    expect(windowsAroundCore(sentences(8_000, 1), isHarmless).length).toBeLessThanOrEqual(82);
    expect(windowsAroundCore(sentences(WINDOW_WORDS, 1), isHarmless).length).toBeLessThanOrEqual(12 * WINDOW_WORDS);
  });
});
