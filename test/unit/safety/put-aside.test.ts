import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type Figure, figuresOf } from "../../../tools/safety/figures.ts";
import { judgeFile } from "../../../tools/safety/judge.ts";
import { readSource } from "../../../tools/safety/labeled.ts";

/** The targets in docs/safety.md, measured on text unseen by the authors of rules and training text. */
const folder = join(import.meta.dirname, "../../../tools/safety/corpus/put-aside");
const { harmless, alerts } = figuresOf(
  ["messages.jsonl", "conversations.jsonl"].flatMap((file) => judgeFile(readSource(join(folder, file)))),
);
const shown = (figure?: Figure) => (figure?.shown ?? Number.NaN) / (figure?.all ?? 0);
const detected = (figure?: Figure) => shown(figure) + (figure?.suspected ?? Number.NaN) / (figure?.all ?? 0);

describe("on the held-out set", () => {
  test.each([
    ["messages", 0.01],
    ["conversations, turns", 0.02],
  ])("harmless %s rarely get an alert", (name, most) => {
    expect(shown(harmless.get(name))).toBeLessThanOrEqual(most);
  });

  test.each([
    ["all emergencies", 0.8, 0.95],
    ["all crises", 0.7, 0.85],
  ])("most of %s get an alert, and nearly all are detected", (name, leastShown, leastDetected) => {
    expect(shown(alerts.get(name))).toBeGreaterThanOrEqual(leastShown);
    expect(detected(alerts.get(name))).toBeGreaterThanOrEqual(leastDetected);
  });
});
