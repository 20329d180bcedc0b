import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { maySpeakOfAbuse } from "../../texts/first-aid.ts";
import { type Figure, figuresOf } from "../../training/figures.ts";
import { judgeDiluted, judgeFile } from "../../training/judge.ts";
import { CORPUS, readSource } from "../../training/labeled.ts";

/**
 * The figures in packages/safety/README.md with a small margin, measured on text unseen by the authors of rules and training text.
 */
const SETS: Record<
  string,
  { harmless: [string, told: number][]; alerts: [string, certain: number, told: number, noticed: number][] }
> = {
  "put-aside": {
    harmless: [
      ["messages", 0.005],
      ["conversations, turns", 0.02],
    ],
    alerts: [
      ["all emergencies", 0.68, 0.83, 0.95],
      ["all crises", 0.55, 0.7, 0.9],
    ],
  },
  "put-aside-2": {
    harmless: [
      ["consumer-questions", 0.02],
      ["conversations, turns", 0.02],
      ["counselling", 0.12],
      ["patient-questions", 0.03],
      ["personal-posts", 0.1],
      ["symptoms", 0.03],
    ],
    alerts: [
      ["conversations, conversations", 0.15, 0.45, 0.95],
      ["diluted", 0.35, 0.85, 0.97],
      ["emergencies", 0.55, 0.83, 0.97],
      ["languages", 0.8, 0.8, 0.8],
      ["lay-emergencies", 0.55, 0.85, 0.97],
      ["oblique-crises", 0.15, 0.4, 0.9],
      ["suicidal-posts", 0.15, 0.72, 0.98],
    ],
  },
  "put-aside-3": {
    harmless: [
      ["counselling", 0.1],
      ["languages", 0.02],
      ["personal-posts", 0.1],
    ],
    alerts: [
      ["crises", 0.6, 0.83, 0.97],
      ["languages", 0.84, 0.84, 0.84],
      ["suicidal-posts", 0, 0.6, 0.85],
    ],
  },
  "put-aside-4": {
    harmless: [["languages", 0.05]],
    alerts: [["languages", 0.82, 0.82, 0.82]],
  },
  "put-aside-5": {
    harmless: [["plain", 0.03]],
    alerts: [["plain", 0.8, 0.95, 0.99]],
  },
};

const share = (count: keyof Figure, figure?: Figure) => (figure?.[count] ?? Number.NaN) / (figure?.all ?? 0);

const sourcesOf = (set: string) =>
  readdirSync(join(CORPUS, set))
    .filter((file) => file !== "interactions.jsonl")
    .map((file) => readSource(join(CORPUS, set, file)));

describe.each(Object.entries(SETS))("on the messages of %s", (set, limits) => {
  const { harmless, alerts } = figuresOf(sourcesOf(set).flatMap(judgeFile));

  test.each(limits.harmless)("few of the harmless %s are told whom to call, and hardly any certainly", (row, most) => {
    expect(share("told", harmless.get(row))).toBeLessThanOrEqual(most);
    expect(share("certain", harmless.get(row))).toBeLessThanOrEqual(Math.min(most, 0.05));
  });

  test.each(limits.alerts)(
    "the plain ones of the dangerous %s are certain, most are told whom to call, and nearly all are noticed",
    (row, certain, told, noticed) => {
      expect(share("certain", alerts.get(row))).toBeGreaterThanOrEqual(certain);
      expect(share("told", alerts.get(row))).toBeGreaterThanOrEqual(told);
      expect(share("noticed", alerts.get(row))).toBeGreaterThanOrEqual(noticed);
    },
  );
});

test("nine in ten alerts about abuse have the line for it, and few others do", () => {
  const alerts = Object.keys(SETS)
    .flatMap((set) => sourcesOf(set).flatMap(judgeFile))
    .filter(({ finding }) => finding !== undefined && finding.certainty !== "suspected");
  const hasLine = ({ message, finding }: (typeof alerts)[number]) =>
    finding?.alert.category === "abuse" || maySpeakOfAbuse([message.text]);
  const [about, others] = [true, false].map((is) =>
    alerts.filter(({ message }) => (message.category === "abuse") === is),
  );
  expect((about?.filter(hasLine).length ?? 0) / (about?.length ?? 0)).toBeGreaterThanOrEqual(0.9);
  expect((others?.filter(hasLine).length ?? 0) / (others?.length ?? 0)).toBeLessThan(0.03);
});

test.each(["put-aside", "put-aside-2", "put-aside-3", "put-aside-5"])(
  "most English alarms of %s that are told whom to call alone are so among ten everyday sentences",
  (set) => {
    const { alerts: diluted } = figuresOf(judgeDiluted(sourcesOf(set)));
    expect(share("told", diluted.get("all"))).toBeGreaterThanOrEqual(0.77);
  },
);
