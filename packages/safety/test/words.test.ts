import { describe, expect, test } from "@jest/globals";
import { recognizeLanguage } from "../language.ts";
import { trainingSources } from "../training/labeled.ts";
import { sentencesOf } from "../words/words.ts";

const messages = trainingSources().flatMap((source) => source.messages.map(({ text }) => text));
const ascii = messages.filter((text) => /^[\0-\x7f]*$/.test(text));

/** A letter beyond ASCII. */
const OTHER = "\u05d0";

describe("messages in ASCII", () => {
  test("are most of the labeled ones", () => {
    expect(ascii.length).toBeGreaterThan(messages.length / 2);
  });

  test("have the same sentences as when they are read with Unicode properties", () => {
    const different = ascii.filter((text) => {
      const [last, ...others] = sentencesOf(`${text}\n${OTHER}`).toReversed();
      return last?.join() !== OTHER || JSON.stringify(others.toReversed()) !== JSON.stringify(sentencesOf(text));
    });
    expect(different).toEqual([]);
  });
});

test.each(["don’t", "don't", "don‘t", "don`t", "don´t", "donʼt", "DON\u00adT", "dön't", "ｄｏｎ't"])(
  "%j is read as dont",
  (word) => {
    expect(sentencesOf(word)).toEqual([["dont"]]);
  },
);

test.each([
  ["38,5 °C and 1,000.5", [["38.5", "c", "and", "1.000", "5"]]],
  ["soooo tired", [["soo", "tired"]]],
  ["sóóóó", [["soo"]]],
  ["Ⅻ ½ ﬁx", [["xii", "1", "2", "fix"]]],
  ["one.two. 3.5 three", [["one"], ["two"], ["3.5", "three"]]],
])("%j is read as %j", (text, sentences) => {
  expect(sentencesOf(text)).toEqual(sentences);
});

test("a letter of another script does not change the language of an English message", () => {
  expect(recognizeLanguage(`I have had a headache since yesterday ${OTHER}`)).toEqual({
    language: "en",
    isUnclear: false,
    candidates: [],
  });
});
