import { describe, expect, test } from "@jest/globals";
import { rank } from "../../../shared/safety/alert.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { readSet, trainingSets } from "../../../tools/safety/labeled.ts";

/** One in eight alerts of the training sets, if the screen raises it: what is done to them below may lower none. */
const raised = trainingSets()
  .flatMap(readSet)
  .filter(({ level }) => level !== "none")
  .filter((_, index) => index % 8 === 0)
  .map(({ text }) => ({ text, before: rank(screen(text).finding?.alert) }))
  .filter(({ before }) => before > 0);

/** 200 words of everyday life, in sentences. */
const STORY = Array.from(
  { length: 10 },
  () =>
    "On Monday we drove over to the market and bought apples for the cake. " +
    "The weather was fine, so we stayed until noon.",
).join(" ");

const CHANGES: [string, (text: string) => string][] = [
  ["upper case", (text) => text.toUpperCase()],
  ["missing apostrophes", (text) => text.replaceAll(/['’]/g, "")],
  ["other apostrophes", (text) => text.replaceAll("'", "’")],
  ["politeness before it", (text) => `Dear team, sorry to bother you. ${text}`],
  ["politeness behind it", (text) => `${text}. Thank you so much, kind regards`],
  ["a family that says it's nothing", (text) => `${text}. My family says it's nothing.`],
  ["playing it down", (text) => `It's probably nothing, but ${text}`],
  ["a leading story of 200 words", (text) => `${STORY} ${text}`],
  ["a story of 200 words behind it", (text) => `${text}. ${STORY}`],
  ["spaces and line breaks", (text) => `\n  ${text.replaceAll(" ", "  ")}\n\n`],
];

describe("a level that was raised", () => {
  test("is tested on enough messages", () => {
    expect(raised.length).toBeGreaterThan(400);
  });

  test.each(CHANGES)("is not lowered by %s", (_, change) => {
    const lowered = raised.filter(({ text, before }) => rank(screen(change(text)).finding?.alert) < before);
    expect(lowered.map(({ text }) => text)).toEqual([]);
  });

  test("is not lowered by more words of danger", () => {
    const more = ["I can't breathe, my lips are blue.", "She collapsed and won't wake up.", "I want to kill myself."];
    const lowered = raised.filter(({ text, before }) =>
      more.some((words) => rank(screen(`${text}. ${words}`).finding?.alert) < before),
    );
    expect(lowered.map(({ text }) => text)).toEqual([]);
  });
});
