import { expect, test } from "@jest/globals";
import { cautionTables, type DrugFile, drugsOf } from "../../cautions/caution-tables.ts";
import { plainWords } from "../../cautions/drug-names.ts";
import { parseDataFile } from "../../data-file.ts";

const { finder } = cautionTables();
const LINES = Object.values(parseDataFile<DrugFile>("drugs.json").groups)
  .flat()
  .map((line) => line.split(", "));

const drugIn = (word: string) => finder.find(word.split(" ")).filter(({ ids }) => drugsOf(ids).length > 0);

test("the names of drugs are found with one spelling mistake, or with two if they are long, and never taken for another drug", () => {
  let [found, all] = [0, 0];
  const taken: string[] = []; // one assertion for all: one per word would take ten times as long as the search
  for (const name of LINES.flat().filter((written) => /^[a-z]{6,}$/i.test(written))) {
    const [named] = drugIn(plainWords(name));
    const once = misspelled(plainWords(name));
    // The second mistake is in the last letter, away from the first.
    const twice = name.length < 10 ? [] : once.slice(0, -12).flatMap((word) => misspelled(word).slice(-4));
    for (const word of [...once, ...twice].filter((other) => other.length >= 6)) {
      const [other] = finder.find([word]);
      all++;
      found += other ? 1 : 0;
      const isAnother = other !== undefined && plainWords(other.name) !== word && other.ids.size > 0;
      if (isAnother && !shares(other.ids, named?.ids)) {
        taken.push(`${word}, for ${name}, is taken for ${other.name}`);
      }
    }
  }
  expect(taken).toEqual([]);
  expect(found / all).toBeGreaterThan(0.9);
});

function shares(one: Set<string>, other = new Set<string>()): boolean {
  return [...one].some((id) => other.has(id));
}

/** A word with each letter missing, doubled, swapped with the next, and replaced. */
function misspelled(word: string): string[] {
  return [...word].flatMap((letter, index) => {
    const [before, after] = [word.slice(0, index), word.slice(index + 1)];
    const replacement = "aeiomnstr"[(index * 5 + word.length) % 9] ?? "";
    return [
      before + after,
      before + letter + letter + after,
      `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
      before + replacement + after,
    ];
  });
}
