import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { WeightsHeader } from "../../screening/classifier.ts";
import { ruleFigures } from "../../training/choose.ts";
import { trainingSources } from "../../training/labeled.ts";
import { trainingTexts } from "../../training/mix.ts";
import { corpusOf, pack, trainAlert, trainCategories } from "../../training/model.ts";

const DATA = join(import.meta.dirname, "..", "..", "data");
const WEIGHTS = join(DATA, "weights.bin");
const HEADER = join(DATA, "weights.json");
const KB = 1024;

test("the labeled messages have the level of their category and no duplicate texts", () => {
  const crises = ["suicidal-thoughts", "self-harm", "abuse"];
  const harmless = "ordinary mild negated past family idiom fiction professional question resolved".split(" ");
  const seen = new Map<string, number>();
  for (const { text, level, category } of trainingSources().flatMap(({ messages }) => messages)) {
    expect(level).toBe(harmless.includes(category) ? "none" : crises.includes(category) ? "crisis" : "emergency");
    const plain = text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    seen.set(plain, (seen.get(plain) ?? 0) + 1);
  }
  expect([...seen].filter(([plain, times]) => plain !== "" && times > 1)).toEqual([]);
});

test("the weights take less than 240 KB next to the bundle", () => {
  expect(statSync(WEIGHTS).size + statSync(HEADER).size).toBeLessThan(240 * KB);
});

/** Only the thresholds and margins need the cross-validation, which takes minutes: `npm run test:training`. */
test("training on the labeled messages reproduces the shipped weights bit for bit", () => {
  const shipped: WeightsHeader = JSON.parse(readFileSync(HEADER, "utf8"));
  const texts = trainingTexts();
  const corpus = corpusOf(texts);
  const { thresholds, harmlessBelow, categoryMargins } = shipped;
  const chosen = { thresholds, harmlessBelow, categoryMargins, rules: ruleFigures(texts) };
  const { header, weights } = pack(trainAlert(corpus), trainCategories(corpus), chosen);
  expect(header).toEqual(shipped);
  expect(weights.equals(readFileSync(WEIGHTS))).toBe(true);
}, 600_000);
