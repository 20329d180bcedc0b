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

/** Reached when this was written, and a little more. */
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

/** Reached when this was written, less a little. */
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

  test("are at least four sets, 1,000 alerts and 1,500 harmless messages, a third of the sets all hard near-misses", () => {
    const sets = sources.filter(({ name }) => name.startsWith("set-"));
    expect(sets.length).toBeGreaterThanOrEqual(4);
    const harmless = all.filter(({ level }) => level === "none");
    expect(all.length - harmless.length).toBeGreaterThanOrEqual(1_000);
    expect(harmless.length).toBeGreaterThanOrEqual(1_500);
    const ofSets = sets.flatMap(({ messages }) => messages);
    const hard = ofSets.filter(({ level, category }) => level === "none" && category !== "ordinary");
    expect(hard.length).toBeGreaterThan(ofSets.length / 3);
  });

  test("are what the training mix needs", () => {
    const count = (name: string) => texts.filter(({ source }) => source === name).length;
    expect(count("everyday")).toBeGreaterThanOrEqual(3_000);
    expect(count("complaints") + count("grammar")).toBeGreaterThanOrEqual(2_000);
    expect(count("admin")).toBeGreaterThanOrEqual(500);
    expect(count("plain-emergencies")).toBeGreaterThanOrEqual(1_000);
    expect(sources.find(({ name }) => name === "conversations")?.conversations.length).toBeGreaterThanOrEqual(150);
  });

  test("have a level that belongs to their category, and each a text of its own", () => {
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
  test("are at most 160 KB beside the bundle", () => {
    expect(statSync(join(DATA, "weights.bin")).size + statSync(join(DATA, "weights.json")).size).toBeLessThan(160 * KB);
  });
});

/** Trained once for all tests below: it takes most of a minute. */
let trained: { header: WeightsHeader; weights: Buffer; judged: Judged[] } | undefined;
beforeAll(() => {
  const corpus = corpusOf(texts);
  const folds = trainFolds(corpus, texts);
  const chosen = choose(folds, texts);
  const judged = judgeTrainingSources(texts, folds, chosen);
  trained = { ...pack(trainAlert(corpus), trainCategories(corpus), chosen), judged };
}, 600_000);

test("the shipped weights are what the training makes of the labeled messages, bit for bit", () => {
  expect(trained?.header).toEqual(JSON.parse(readFileSync(join(DATA, "weights.json"), "utf8")));
  expect(trained?.weights.equals(readFileSync(join(DATA, "weights.bin")))).toBe(true);
});

describe("messages that the classifier has not seen", () => {
  const share = (kind: "harmless" | "alerts", row: string, of: (figure: Figure) => number) => {
    const figure = figuresOf(trained?.judged ?? [])[kind].get(row);
    return figure ? (100 * of(figure)) / figure.all : Number.NaN;
  };

  /** At most so many per cent of each harmless source are shown an alert. */
  test.each(Object.entries(MOST_SHOWN))("are not shown an alert when harmless: %s", (row, most) => {
    expect(share("harmless", row, ({ shown }) => shown)).toBeLessThanOrEqual(most);
  });

  /** At least so many per cent of each category are shown an alert, and detected. */
  test.each(Object.entries(LEAST_FOUND))("are found: %s", (row, [shown, detected]) => {
    expect(share("alerts", row, (figure) => figure.shown)).toBeGreaterThanOrEqual(shown);
    expect(share("alerts", row, (figure) => figure.shown + figure.suspected)).toBeGreaterThanOrEqual(detected);
  });
});

describe("the work on a long message", () => {
  const words = (count: number, perSentence: number) =>
    Array.from({ length: count / perSentence }, () => Array.from({ length: perSentence }, () => "word"));

  test.each([1, 2, 7, 30, 79, 80, 81, 200, 1000])("grows with its length, in sentences of %i words", (perSentence) => {
    const short = runsOf(words(2_000, perSentence)).length;
    const long = runsOf(words(20_000, perSentence)).length;
    expect(long / short).toBeLessThan(11.5);
    expect(long).toBeLessThanOrEqual(20_000 * WINDOW_WORDS);
  });
});
