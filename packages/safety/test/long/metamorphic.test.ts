import { describe, expect, test } from "@jest/globals";
import { rank } from "../../alerts.ts";
import { screen } from "../../screen.ts";
import { trainingSources } from "../../training/labeled.ts";

/** One in 16 of the labeled alerts that are certain or likely. The changes below must lower none of them. */
const raised = trainingSources()
  .flatMap(({ messages }) => messages)
  .filter(({ level }) => level !== "none")
  .filter((_, index) => index % 16 === 0)
  .map(({ text }) => ({ text, before: toldRank(text) }))
  .filter(({ before }) => before > 0);

function toldRank(text: string): number {
  const { finding } = screen(text);
  return finding && finding.certainty !== "suspected" ? rank(finding.alert) : 0;
}

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
  ["politeness after it", (text) => `${text}. Thank you so much, kind regards`],
  ["a family that says it's nothing", (text) => `${text}. My family says it's nothing.`],
  ["playing it down", (text) => `It's probably nothing, but ${text}`],
  ["a greeting before it", (text) => `Hi. ${text}`],
  ["a greeting without a period before it", (text) => `hello ${text}`],
  ["thanks after it", (text) => `${text} thanks`],
  ["a harmless question after it", (text) => `${text}. When does the clinic open on Saturday?`],
  ["a harmless message before it", (text) => `I would like to book a dental cleaning for next week. ${text}`],
  ["exclamation marks", (text) => `${text}!!!`],
  ["an ellipsis", (text) => `${text}...`],
  ["spaces and line breaks", (text) => `\n  ${text.replaceAll(" ", "  ")}\n\n`],
];

describe("the level of an alert", () => {
  test("is tested with enough messages", () => {
    expect(raised.length).toBeGreaterThan(400);
  });

  // The classifier is certain of at most 40 words, and what it is barely certain of can become a suspicion when
  // something is added; what a rule decides cannot, and nothing becomes silence.
  test.each(CHANGES)("does not drop with %s, but for one in 200", (_, change) => {
    const lowered = raised.filter(({ text, before }) => toldRank(change(text)) < before);
    expect(lowered.filter(({ text }) => screen(text).finding?.decidedBy === "rule")).toEqual([]);
    expect(lowered.filter(({ text }) => screen(change(text)).finding === undefined)).toEqual([]);
    expect(lowered.length / raised.length).toBeLessThan(0.005);
  });

  // A message of more than 80 words has its own, higher threshold, so a barely certain alert of the classifier can
  // become a suspicion; one that a rule decides cannot.
  test.each<[string, (text: string) => string]>([
    ["before", (text) => `${STORY} ${text}`],
    ["after", (text) => `${text}. ${STORY}`],
  ])("survives a story of 200 words %s the message", (_, change) => {
    const some = raised.filter((_, index) => index % 4 === 0);
    const lowered = some.filter(({ text, before }) => toldRank(change(text)) < before);
    expect(lowered.filter(({ text }) => screen(text).finding?.decidedBy === "rule")).toEqual([]);
    expect(lowered.length / some.length).toBeLessThan(0.01);
    expect(lowered.filter(({ text }) => screen(change(text)).finding === undefined)).toEqual([]);
  });

  test("mostly survives a typo in its longest word", () => {
    const kept = raised.filter(({ text, before }) => toldRank(withTypo(text)) >= before);
    expect(kept.length / raised.length).toBeGreaterThan(0.7);
  });

  // What is certain comes first: a certain crisis is shown at once, where a likely emergency waits for the verdict.
  test("does not drop after another alarming statement, unless that is certain and the first is not", () => {
    const more = ["I can't breathe, my lips are blue.", "She collapsed and won't wake up.", "I want to kill myself."];
    const isCertain = (text: string) => screen(text).finding?.certainty === "certain";
    const lowered = raised.filter(({ text, before }) =>
      more.some((words) => {
        const both = `${text}. ${words}`;
        return toldRank(both) < before && !(isCertain(both) && !isCertain(text));
      }),
    );
    expect(lowered.map(({ text }) => text)).toEqual([]);
  });
});

/** Swaps two letters in the middle of the longest word. */
function withTypo(text: string): string {
  const longest = text.match(/[a-z]+/gi)?.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const middle = Math.floor(longest.length / 2);
  const letters = [...longest];
  letters.splice(middle - 1, 2, longest.charAt(middle), longest.charAt(middle - 1));
  return text.replace(longest, letters.join(""));
}
