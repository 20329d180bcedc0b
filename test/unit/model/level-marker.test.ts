import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { LevelMarker } from "../../../shared/model/level-marker.ts";
import { growth } from "../../helpers/growth.ts";

/** The text that the marker filter returns when the text arrives in these pieces, and the alerts. */
function filtered(pieces: string[]): { text: string; alerts: string[] } {
  const alerts: string[] = [];
  const marker = new LevelMarker(({ level, category }, named) => alerts.push(named ? category : level));
  const text = pieces.map((piece) => marker.push(piece)).join("") + marker.end();
  return { text, alerts };
}

/** The text in pieces that end at these places. */
function cut(text: string, places: number[]): string[] {
  const at = [0, ...places.map((place) => Math.min(place, text.length)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const PLACES = fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 10 });

/** Markers as models write them, with the level, or the category if it is named. */
const VARIANTS: [marker: string, alert: string][] = [
  ["[[level: emergency]]", "emergency"],
  ["[[level: emergency, infant-fever]]", "infant-fever"],
  ["[[ level : emergency , head injury ]]", "head-injury"],
  ["[[LEVEL: EMERGENCY]]", "emergency"],
  ["[[level: crisis self_harm]]", "self-harm"],
  ["[[level: stroke]]", "stroke"],
  ["[[level emergency]]", "emergency"],
  ["[[emergency]]", "emergency"],
  ["[[level: emergency", "emergency"],
  ["[level: emergency]", "emergency"],
  ["[level emergency]", "emergency"],
  ["[ [level: emergency] ]", "emergency"],
  ["(level: emergency)", "emergency"],
  ["<<level: emergency>>", "emergency"],
  ["«level: crisis»", "crisis"],
  ["<level>crisis</level>", "crisis"],
  ['{"category": "stroke", "level": "emergency"}', "stroke"],
  ['{\n  "level": "crisis",\n  "category": "self-harm"\n}', "self-harm"],
  ['```json\n{"level": "emergency", "category": "stroke"}\n```', "stroke"],
  ['"[[level: crisis]]"', "crisis"],
  ["**[[level: emergency cardiac]]**", "cardiac"],
  ["[[level: crisis][category: abuse]]", "abuse"],
  ["<marker>level: emergency</marker>", "emergency"],
  ["| Level | crisis |", "crisis"],
  ["# [[level: emergency]]", "emergency"],
  ["> [[level: crisis]]", "crisis"],
  ["［［ｌｅｖｅｌ：ｃｒｉｓｉｓ］］", "crisis"],
  ["【【level: crisis】】", "crisis"],
  ["[[level\u200b:\u00a0emergency]]", "emergency"],
  ["[[等級：危機]]", "crisis"],
  ["[[mức độ: khẩn cấp]]", "emergency"],
  ["[[antas: krisis]]", "crisis"],
  ["[[مستوى: طوارئ]]", "emergency"],
  ["[[수준: 응급]]", "emergency"],
  ["[[уровень: кризис]]", "crisis"],
  ["level: crisis", "crisis"],
  ["Level: emergency - stroke", "stroke"],
  ["**Level**: emergency (possible stroke)", "stroke"],
  ["- Level: crisis", "crisis"],
  ["[[level]]\nemergency stroke", "stroke"],
  ["[[level]]:\nemergency", "emergency"],
  ["[[level]]\n**crisis**", "crisis"],
  ["[[level]]\n- emergency: cardiac", "cardiac"],
  ["[[nivel]]\nemergencia", "emergency"],
  ["[[Stufe]]\nKrise", "crisis"],
  ["The level of danger is emergency.", "emergency"],
  ["The danger level here is crisis.", "crisis"],
  ['The danger level is "emergency" (stroke).', "stroke"],
  ["The level for this message is crisis.", "crisis"],
  ["My marker is [[level: emergency]].", "emergency"],
  ["Danger level: emergency.", "emergency"],
  ["I marked this message as level crisis.", "crisis"],
  ["I would rate this at level emergency.", "emergency"],
  ["I have set the level to crisis.", "crisis"],
  ["El nivel de peligro es emergencia.", "emergency"],
  ["O nível de perigo é emergência.", "emergency"],
  ["Le niveau de danger est urgence.", "emergency"],
  ["Die Gefahrenstufe ist Notfall.", "emergency"],
];

test.each(VARIANTS)(
  "the marker %j is read and removed, wherever it stands and however the answer is split",
  (...row) => {
    const [marker, alert] = row;
    for (const [answer, rest] of [
      [`${marker}\nDrink water.`, "Drink water."],
      [`Sure. ${marker}\nDrink water.`, "Sure. Drink water."],
      [`Drink water.\n\n${marker}`, "Drink water."],
      [`Drink water. ${marker}`, "Drink water."],
    ] as const) {
      expect(filtered([...answer])).toEqual(filtered([answer]));
      fc.assert(
        fc.property(PLACES, (places) => {
          const { text, alerts } = filtered(cut(answer, places));
          expect(text.trim()).toBe(rest);
          expect(alerts).toEqual([alert]);
        }),
        { numRuns: 20 },
      );
    }
  },
);

describe("a marker", () => {
  test.each([
    "[[level: none]]\n",
    "(level: none) ",
    "[none]\n",
    "[level: severe]\n",
    "[[level:]]\n",
    "[[level: none|crisis|emergency]]\n",
    "I classified this as level none. ",
    "[[level: severe\n",
    "[[danger: none]]\r\n",
    "Level None\n",
    '{\n  "level": "none",\n  "reason": "mild pain"\n}\n',
    "Level: none (no immediate danger)\n",
  ])("without a danger, or with an unknown level, is removed: %j", (marker) => {
    for (const pieces of [[`${marker}Drink water.`], [...`${marker}Drink water.`]]) {
      const { text, alerts } = filtered(pieces);
      expect(text.trim()).toBe("Drink water.");
      expect(alerts).toEqual([]);
    }
  });

  test("may stand directly before a word", () => {
    expect(filtered(["level: emergency Do not wait."])).toEqual({ text: "Do not wait.", alerts: ["emergency"] });
    expect(filtered(["[[level: crisis abuse I am here."])).toEqual({ text: "I am here.", alerts: ["abuse"] });
  });

  test("in the middle of a sentence is removed, and each of several counts", () => {
    expect(filtered(["[[level: none]]\nYou [[level: crisis]] wrote [[level: emergency]], you see."])).toEqual({
      text: "You wrote , you see.",
      alerts: ["crisis", "emergency"],
    });
  });

  test("may be missing, or all there is", () => {
    expect(filtered(["Drink ", "water."])).toEqual({ text: "Drink water.", alerts: [] });
    expect(filtered(["[[level: emergency]]"])).toEqual({ text: "", alerts: ["emergency"] });
  });
});

test.each([
  ...[
    "See [1] and [level 2].",
    "a[[0]] = b[[1]]",
    "The level: high.",
    "Level: high",
    "Levels of sugar\nvary.",
    "[",
    "[[",
    "[[lev",
  ],
  ...["The level of your blood sugar is a bit high.", "My advice: rest.", "I would rate your pain at level 3 of 10."],
  ...["I would call this an emergency.", "The marker in your blood is none of these."],
  ...["Blood sugar level: 110 (normal)", "[level of evidence: A]", "Your stress level: none of my business"],
  ...[
    "Pain level: none",
    "- Pain level: none",
    "Level: none of these values is too high.",
    "What level [of pain] is it?",
  ],
  ...["Level 1: none\nLevel 2: some", "Emergency\nCall now", "None.\nAll of them are fine.", "(emergency)"],
  ...["A crisis line can help (crisis line: 988).", "[Emergency contacts] are listed.", "Call 911 (emergency) or 988."],
  ...[
    "The oxygen level [SpO2: 95] is fine.",
    "He said “level with me”.",
    "{a: 1}",
    "x < 5 and y > 3",
    "```\ncode\n```",
  ],
])("%j is not a marker", (text) => {
  expect(filtered([text])).toEqual({ text, alerts: [] });
  expect(filtered([...text])).toEqual({ text, alerts: [] });
});

describe("an answer that arrives in pieces", () => {
  const part = fc.constantFrom(" ", "\n", ..."[ ] [[ ]] level : none crisis emergency stroke * words .".split(" "));
  const answer = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));

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
    expect(marker.push("Level of sugar")).not.toBe("");
    expect(marker.push(`[[level: ${"x".repeat(300)}`)).not.toBe("");
  });
});

test.each(["[[level: none]] ", "[[", "(level ", "level: "])(
  "an answer of many markers is read in linear time: %j",
  (piece) => {
    expect(
      growth(
        (size) => piece.repeat(size),
        (text) => filtered([text]),
        1_000,
      ),
    ).toBeLessThan(2.5);
  },
);
