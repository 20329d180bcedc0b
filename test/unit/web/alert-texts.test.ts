import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { alertOf, CRISES, EMERGENCIES, type SafetyAlert } from "../../../shared/safety/alert.ts";
import { type AlertTexts, alertTexts, answerParts } from "../../../web/playground/alert-texts.ts";

const DATA = join(import.meta.dirname, "../../../shared/safety/data/fixed-texts.json");

const texts: AlertTexts = alertTexts(JSON.parse(readFileSync(DATA, "utf8")));
const ALARMS = [...EMERGENCIES, ...CRISES].map(alertOf);
const WORDS = "I am here.\n\nTell me more.";

let openingText: (alert: SafetyAlert) => string;
beforeAll(async () => {
  Object.assign(process.env, {
    EMERGENCY_NUMBER: "112 (or 110)",
    CRISIS_LINE: "0800 1110111 [day & night]",
    POISON_CONTROL: "+49 30 19240",
    ABUSE_LINE: "116 016",
  });
  ({ openingText } = await import("../../../shared/safety/fixed-texts.ts"));
});

describe("the page knows the fixed text of every alert", () => {
  test.each(ALARMS)("$level, $category", (alert) => {
    const fixed = openingText(alert);
    expect(answerParts(`${fixed}\n\n${WORDS}`, texts)).toEqual([{ level: alert.level, text: fixed }, { text: WORDS }]);
    expect(answerParts(fixed, texts)).toEqual([{ level: alert.level, text: fixed }]);
  });

  test("a crisis that turns out to be an emergency has both", () => {
    const [crisis, emergency] = [alertOf("self-harm"), alertOf("bleeding")].map((alert) => openingText(alert));
    expect(answerParts(`${crisis}\n\n${emergency}\n\n${WORDS}`, texts)).toEqual([
      { level: "crisis", text: crisis },
      { level: "emergency", text: emergency },
      { text: WORDS },
    ]);
  });
});

test.each(["", WORDS, "Call 911 now.", "This could be an emergency room's opening time."])(
  "other words are no alert: %j",
  (answer) => {
    expect(answerParts(answer, texts)).toEqual([{ text: answer }]);
  },
);

test("a deployment's own texts may have empty lines and characters that mean something in patterns", () => {
  const own = alertTexts({
    emergency: { opening: "Call (now)?\n\n{emergencyNumber}!", meanwhile: { other: "Wait. [Sit]" } },
    crisis: { opening: { abuse: "Help: {abuseLine}" }, offer: "Talk?" },
    disclosure: "AI*",
  });
  const answer = "Call (now)?\n\n112!\n\nWait. [Sit]\n\nAI*";
  expect(answerParts(`${answer}\n\nCall now`, own)).toEqual([
    { level: "emergency", text: answer },
    { text: "Call now" },
  ]);
});
