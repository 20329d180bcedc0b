import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { WeightsHeader } from "../../shared/safety/classifier.ts";
import { runsOf, WINDOW_WORDS } from "../../shared/safety/windows.ts";
import { choose, trainFolds } from "../../tools/safety/choose.ts";
import { type Figure, figuresOf, type Judged } from "../../tools/safety/figures.ts";
import { judgeTrainingSources } from "../../tools/safety/judge.ts";
import { trainingSources } from "../../tools/safety/labeled.ts";
import { trainingTexts } from "../../tools/safety/mix.ts";
import { corpusOf, pack, trainAlert, trainCategories } from "../../tools/safety/model.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const DATA = join(ROOT, "shared", "safety", "data");
const KB = 1024;

/** The measured values plus a small margin. */
const MOST_SHOWN: Record<string, number> = {
  everyday: 1.2,
  complaints: 1,
  grammar: 0.5,
  admin: 0.5,
  "health-questions": 3,
  "conversations, turns": 1,
  "plain-near-misses": 2,
  "oblique-near-misses": 4,
  sets: 1.5,
  "sets, near misses": 3,
};

/** The measured values minus a small margin. */
const LEAST_FOUND: Record<string, [shown: number, detected: number]> = {
  "all emergencies": [61, 90],
  "all crises": [41, 80],
  "category cardiac": [72, 94],
  "category stroke": [61, 90],
  "category breathing": [65, 91],
  "category bleeding": [58, 90],
  "category poisoning": [54, 86],
  "category unconscious": [72, 93],
  "category head-injury": [60, 92],
  "category pregnancy": [48, 85],
  "category infection": [61, 90],
  "category infant-fever": [65, 91],
  "category suicide-attempt": [45, 84],
  "category other": [72, 90],
  "category suicidal-thoughts": [44, 80],
  "category self-harm": [41, 79],
  "category abuse": [39, 80],
  "plain-emergencies": [86, 96],
  "spread-emergencies, conversations": [68, 92],
};

const sources = trainingSources();
const texts = trainingTexts();

describe("the labeled messages", () => {
  const all = sources.flatMap(({ messages }) => messages);

  test("have the level of their category and no duplicate texts", () => {
    const crises = ["suicidal-thoughts", "self-harm", "abuse"];
    const harmless = "ordinary mild negated past family idiom fiction professional question resolved".split(" ");
    for (const { level, category } of all) {
      expect(level).toBe(harmless.includes(category) ? "none" : crises.includes(category) ? "crisis" : "emergency");
    }
    const seen = new Map<string, number>();
    for (const { text } of all) {
      const plain = text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
      seen.set(plain, (seen.get(plain) ?? 0) + 1);
    }
    expect([...seen].filter(([plain, times]) => plain !== "" && times > 1)).toEqual([]);
  });
});

describe("the weights", () => {
  test("take less than 160 KB next to the bundle", () => {
    expect(statSync(join(DATA, "weights.bin")).size + statSync(join(DATA, "weights.json")).size).toBeLessThan(160 * KB);
  });
});

/** Trained once for all tests below, because training takes most of a minute. */
let trained: { header: WeightsHeader; weights: Buffer; judged: Judged[] } | undefined;
beforeAll(() => {
  const corpus = corpusOf(texts);
  const folds = trainFolds(corpus, texts);
  const chosen = choose(folds, texts);
  const judged = judgeTrainingSources(texts, folds, chosen);
  trained = { ...pack(trainAlert(corpus), trainCategories(corpus), chosen), judged };
}, 600_000);

test("training on the labeled messages reproduces the shipped weights bit for bit", () => {
  expect(trained?.header).toEqual(JSON.parse(readFileSync(join(DATA, "weights.json"), "utf8")));
  expect(trained?.weights.equals(readFileSync(join(DATA, "weights.bin")))).toBe(true);
});

describe("messages unseen by the classifier", () => {
  const share = (kind: "harmless" | "alerts", row: string, of: (figure: Figure) => number) => {
    const figure = figuresOf(trained?.judged ?? [])[kind].get(row);
    return figure ? (100 * of(figure)) / figure.all : Number.NaN;
  };

  /** At most this percentage of each harmless source gets an alert. */
  test.each(Object.entries(MOST_SHOWN))("get no alert when they are harmless: %s", (row, most) => {
    expect(share("harmless", row, ({ shown }) => shown)).toBeLessThanOrEqual(most);
  });

  /** At least these percentages of each category get an alert and are detected. */
  test.each(Object.entries(LEAST_FOUND))("are detected when they are alerts: %s", (row, [shown, detected]) => {
    expect(share("alerts", row, (figure) => figure.shown)).toBeGreaterThanOrEqual(shown);
    expect(share("alerts", row, (figure) => figure.shown + figure.suspected)).toBeGreaterThanOrEqual(detected);
  });
});

describe("the work for a long message", () => {
  const words = (count: number, perSentence: number) =>
    Array.from({ length: count / perSentence }, () => Array.from({ length: perSentence }, () => "word"));

  test.each([1, 2, 7, 30, 79, 80, 81, 200, 1000])(
    "grows linearly with its length, in sentences of %i words",
    (perSentence) => {
      const short = runsOf(words(2_000, perSentence)).length;
      const long = runsOf(words(20_000, perSentence)).length;
      expect(long / short).toBeLessThan(11.5);
      expect(long).toBeLessThanOrEqual(20_000 * WINDOW_WORDS);
    },
  );
});
