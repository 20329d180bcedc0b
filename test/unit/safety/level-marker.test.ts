import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { SafetyAlert } from "../../../shared/safety/alert.ts";
import { LevelMarker } from "../../../shared/safety/level-marker.ts";

/** The text and alerts that the marker filter returns when the text arrives in these pieces. */
function filtered(pieces: string[]): { text: string; alerts: SafetyAlert[] } {
  const alerts: SafetyAlert[] = [];
  const marker = new LevelMarker((alert) => alerts.push(alert));
  const text = pieces.map((piece) => marker.push(piece)).join("") + marker.end();
  return { text, alerts };
}

describe("a level marker at the beginning of an answer", () => {
  test.each<[string, SafetyAlert | undefined]>([
    ["[[level: none]]\n", undefined],
    ["[[level: emergency]]\n", { level: "emergency", category: "other" }],
    ["[[level: emergency stroke]]\n", { level: "emergency", category: "stroke" }],
    ["[[level: emergency, infant-fever]]\n\n", { level: "emergency", category: "infant-fever" }],
    ["[[Level: EMERGENCY]] ", { level: "emergency", category: "other" }],
    ["**[[level: emergency cardiac]]**\n", { level: "emergency", category: "cardiac" }],
    ["\n [[level:crisis]]\n", { level: "crisis", category: "suicidal-thoughts" }],
    ["[[level: crisis self-harm]]\n", { level: "crisis", category: "self-harm" }],
    ["[level: emergency]\n", { level: "emergency", category: "other" }],
    ["Level: crisis\n", { level: "crisis", category: "suicidal-thoughts" }],
    ["[[level: emergency of some kind]]\n", undefined],
    ["[[level: severe]]\n", undefined],
    ["[[level:]]\n", undefined],
    ["[[level: emergency stroke\n", undefined],
  ])("%j is removed, and applied if it is well-formed", (marker, alert) => {
    const { text, alerts } = filtered([`${marker}Drink water.`]);
    expect(text.trim()).toBe("Drink water.");
    expect(alerts).toEqual(alert ? [alert] : []);
  });

  test("may be missing", () => {
    expect(filtered(["Drink ", "water."])).toEqual({ text: "Drink water.", alerts: [] });
  });

  test("may be all there is", () => {
    expect(filtered(["[[level: emergency]]"])).toEqual({
      text: "",
      alerts: [{ level: "emergency", category: "other" }],
    });
  });
});

describe("a level marker in the middle of an answer", () => {
  test.each(["[[level: emergency]]", "[[level: crisis abuse]]", "[[level: whatever you say]]", "[level: emergency]"])(
    "%s is removed and ignored",
    (marker) => {
      const { text, alerts } = filtered([`Drink water. ${marker} And rest.`]);
      expect(text).toBe("Drink water. And rest.");
      expect(alerts).toEqual([]);
    },
  );

  test.each([
    "See [1] and [level 2].",
    "a[[0]] = b[[1]]",
    "The level: high.",
    "Levels of sugar\nvary.",
    "[",
    "[[",
    "[[lev",
  ])("%j is not a marker", (text) => {
    expect(filtered([text])).toEqual({ text, alerts: [] });
  });
});

describe("an answer that arrives in pieces", () => {
  const part = fc.constantFrom(" ", "\n", ..."[ ] [[ ]] level : none crisis emergency stroke * words .".split(" "));
  const answer = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));

  test("gives the same result as in one piece, wherever it is split", () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 10 });
    fc.assert(
      fc.property(answer, cuts, (text, places) => {
        const at = [0, ...places.map((place) => Math.min(place, text.length)).toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        const cut = filtered(pieces);
        const whole = filtered([text]);
        expect(cut.alerts).toEqual(whole.alerts);
        expect(cut.text.trim()).toBe(whole.text.trim());
      }),
      { numRuns: 3_000 },
    );
  });

  test("contains no well-formed marker", () => {
    fc.assert(
      fc.property(answer, (text) => {
        expect(filtered([...text]).text).not.toMatch(/\[\[\s*level\s*:\s*(none|crisis|emergency)\s*\]\]/i);
      }),
      { numRuns: 3_000 },
    );
  });

  test("is held back no longer than the longest marker", () => {
    const marker = new LevelMarker(() => {});
    expect(marker.push(`Level${" of sugar".repeat(10)}`)).not.toBe("");
    expect(marker.push(`[[level: ${"x".repeat(100)}`)).not.toBe("");
  });
});
