import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { WeightsHeader } from "../../screening/classifier.ts";
import { choose, trainFolds } from "../../training/choose.ts";
import { type Figure, figuresOf, type Judged } from "../../training/figures.ts";
import { judgeTrainingSources } from "../../training/judge.ts";
import { trainingTexts } from "../../training/mix.ts";
import { corpusOf, pack, trainAlert, trainCategories } from "../../training/model.ts";

/**
 * The whole training, cross-validation included, as `npm run test:training` runs it: what the tests of every change
 * leave out because it takes minutes (safety-training.test.ts).
 */

const DATA = join(import.meta.dirname, "..", "..", "data");

/** The measured values plus a small margin. */
const MOST_SHOWN: Record<string, number> = {
  everyday: 1,
  complaints: 0.8,
  grammar: 0.5,
  admin: 0.5,
  "health-questions": 2,
  "conversations, turns": 0.5,
  "plain-near-misses": 2.5,
  "oblique-near-misses": 3.5,
  sets: 1,
  "sets, near misses": 3,
  "calm-body": 8,
  "calm-family": 15,
  "calm-grief-loneliness": 8,
  "calm-near-crises": 6,
  "calm-relationships": 12,
  "calm-symptom-lists": 8,
  "calm-work-school": 9,
};

/** The measured values minus a small margin. */
const LEAST_FOUND: Record<string, [shown: number, detected: number]> = {
  "all emergencies": [65, 92],
  "all crises": [38, 79],
  "category cardiac": [74, 95],
  "category stroke": [64, 92],
  "category breathing": [69, 92],
  "category bleeding": [62, 91],
  "category poisoning": [59, 89],
  "category unconscious": [71, 94],
  "category head-injury": [65, 92],
  "category pregnancy": [52, 89],
  "category infection": [69, 93],
  "category infant-fever": [70, 92],
  "category suicide-attempt": [47, 87],
  "category other": [73, 90],
  "category suicidal-thoughts": [36, 77],
  "category self-harm": [41, 81],
  "category abuse": [35, 79],
  "plain-emergencies": [87, 96],
  "spread-emergencies, conversations": [67, 96],
  "crisis-conversations, conversations": [28, 88],
  "long-crises": [46, 89],
  diluted: [52, 84],
};

/** Trained once for all tests below. */
let trained: { header: WeightsHeader; weights: Buffer; judged: Judged[] } | undefined;
beforeAll(() => {
  const texts = trainingTexts();
  const corpus = corpusOf(texts);
  const folds = trainFolds(corpus, texts);
  const chosen = choose(folds, texts);
  const judged = judgeTrainingSources(texts, folds, chosen);
  trained = { ...pack(trainAlert(corpus), trainCategories(corpus), chosen), judged };
}, 1_800_000);

test("training on the labeled messages reproduces the shipped weights bit for bit", () => {
  expect(trained?.header).toEqual(JSON.parse(readFileSync(join(DATA, "weights.json"), "utf8")));
  expect(trained?.weights.equals(readFileSync(join(DATA, "weights.bin")))).toBe(true);
});

describe("messages unseen by the classifier", () => {
  const share = (kind: "harmless" | "alerts", row: string, count: (figure: Figure) => number) => {
    const figure = figuresOf(trained?.judged ?? [])[kind].get(row);
    return figure ? (100 * count(figure)) / figure.all : Number.NaN;
  };

  /** At most this percentage of each harmless source is told whom to call. */
  test.each(Object.entries(MOST_SHOWN))("get no alert when they are harmless: %s", (row, most) => {
    expect(share("harmless", row, ({ told }) => told)).toBeLessThanOrEqual(most);
  });

  test("are mostly named rightly if their category is named", () => {
    const named = (trained?.judged ?? []).filter(({ finding }) => finding?.categoryCertain);
    const right = named.filter(({ message, finding }) => finding?.alert.category === message.category);
    expect(named.length).toBeGreaterThan(1_000);
    // Measured: 0.962. A harmless message that is shown a category counts as wrong.
    expect(right.length / named.length).toBeGreaterThanOrEqual(0.96);
  });

  /** At least these percentages of each category get an alert and are detected. */
  test.each(Object.entries(LEAST_FOUND))("are detected when they are alerts: %s", (row, [shown, detected]) => {
    expect(share("alerts", row, (figure) => figure.told)).toBeGreaterThanOrEqual(shown);
    expect(share("alerts", row, (figure) => figure.noticed)).toBeGreaterThanOrEqual(detected);
  });
});
