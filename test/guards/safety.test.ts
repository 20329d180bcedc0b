import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../../shared/safety/screen.ts";
import { runsOf, WINDOW_WORDS } from "../../shared/safety/windows.ts";
import { type Figure, figuresOf, withInterval } from "../../tools/safety/figures.ts";
import { HELD_OUT, readSet, trainingSets } from "../../tools/safety/labeled.ts";
import { exampleOf, pack, trainAlert, trainCategories } from "../../tools/safety/model.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const DATA = join(ROOT, "shared", "safety", "data");
const KB = 1024;

describe("the labelled messages", () => {
  const sets = [...trainingSets(), HELD_OUT].map((name) => ({ name, messages: readSet(name) }));
  const all = sets.flatMap(({ messages }) => messages);

  test("are at least four sets, 1,000 alerts and 1,500 harmless messages, a third of all hard near-misses", () => {
    expect(sets.length).toBeGreaterThanOrEqual(4);
    const harmless = all.filter(({ level }) => level === "none");
    expect(all.length - harmless.length).toBeGreaterThanOrEqual(1_000);
    expect(harmless.length).toBeGreaterThanOrEqual(1_500);
    expect(harmless.filter(({ category }) => category !== "ordinary").length).toBeGreaterThan(all.length / 3);
  });

  test("have a level that belongs to their category, and each a text of its own", () => {
    const crises = ["suicidal-thoughts", "self-harm", "abuse"];
    const harmless = "ordinary mild negated past family idiom fiction professional question resolved".split(" ");
    for (const { level, category } of all) {
      expect(level).toBe(harmless.includes(category) ? "none" : crises.includes(category) ? "crisis" : "emergency");
    }
    const texts = all.map(({ text }) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
    const repeated = texts.filter((text, index) => text !== "" && texts.indexOf(text) !== index);
    expect(repeated).toEqual([]);
  });
});

describe("the weights", () => {
  test("are at most 150 KB beside the bundle", () => {
    expect(statSync(join(DATA, "weights.bin")).size + statSync(join(DATA, "weights.json")).size).toBeLessThan(150 * KB);
  });

  test("are what the training makes of the labelled messages, to the bit", () => {
    const shipped = JSON.parse(readFileSync(join(DATA, "weights.json"), "utf8"));
    const examples = trainingSets().flatMap((name) => readSet(name).map(exampleOf));
    const { header, weights } = pack(trainAlert(examples), trainCategories(examples), shipped.threshold);
    expect(header).toEqual(shipped);
    expect(weights.equals(readFileSync(join(DATA, "weights.bin")))).toBe(true);
  });
});

describe("the set put aside", () => {
  const figures = figuresOf(readSet(HELD_OUT).map((message) => ({ message, alert: screen(message.text) })));
  const share = ({ right, all }: Figure = { right: 0, all: 1 }) => right / all;

  test("is judged no worse than these floors", () => {
    expect(share(figures.get("sensitivity"))).toBeGreaterThanOrEqual(0.8);
    expect(share(figures.get("specificity"))).toBeGreaterThanOrEqual(0.92);
  });

  test.each(["emergency", "crisis", "specificity"])("is quoted truthfully in docs/safety.md: %s", (name) => {
    const figure = figures.get(name);
    expect(readFileSync(join(ROOT, "docs/safety.md"), "utf8")).toContain(figure ? withInterval(figure) : "no figure");
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
