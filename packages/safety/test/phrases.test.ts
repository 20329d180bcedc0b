import { describe, expect, test } from "@jest/globals";
import { indexOf, Phrases } from "../words/phrases.ts";

const classes = { person: ["he", "she", "mum"], parent: ["mum", "dad"], after: ["and", "please"] };
const groups = {
  pain: ["chest pain", "?person chest hurts", "it hurts"],
  pills: ["took #12", "took # tablets", "#12 tablets"],
  end: ["need to push $"],
  parent: ["@parent fell", "fell on @person"],
};
// Written as JSON and read again, as beside a bundle.
const phrases = new Phrases(JSON.parse(JSON.stringify(indexOf(groups, " ", classes))));

describe("phrases are found", () => {
  test.each([
    ["my chest pain", ["pain 1-3"]],
    ["she chest hurts", ["pain 0-3", "pain 1-3"]],
    ["took 20 tablets", ["pills 0-2", "pills 0-3", "pills 1-3"]],
    ["took 20 mg", []],
    ["mum fell on dad", ["parent 0-2"]],
    ["dad fell on mum", ["parent 0-2", "parent 1-4"]],
    ["he fell", []],
    ["i need to push", ["end 1-4"]],
    ["i need to push and now", ["end 1-4"]],
    ["i need to push my appointment", []],
    ["chest", []],
  ])("in %j", (sentence, expected) => {
    const found = phrases.in(sentence.split(" ")).map(({ name, start, end }) => `${name} ${start}-${end}`);
    expect(found.toSorted()).toEqual(expected);
  });

  test("again in the same way", () => {
    expect(phrases.in(["chest", "pain"])).toEqual(phrases.in(["chest", "pain"]));
  });
});

test("characters are matched instead of words without a separator", () => {
  const byCharacter = new Phrases(indexOf({ pain: ["胸痛", "𠮷痛"] }, ""));
  expect(byCharacter.in([..."我胸痛𠮷痛"])).toEqual([
    { name: "pain", start: 1, end: 3 },
    { name: "pain", start: 3, end: 5 },
  ]);
});

test("a phrase with the character that separates phrases is rejected", () => {
  expect(() => indexOf({ pain: ["chest|pain"] })).toThrow("chest|pain");
});
