import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Alarm, alarmOf, CRISES, EMERGENCIES } from "../../../shared/safety/alert.ts";
import { type AlarmTexts, alarmTexts, answerParts } from "../../../web/playground/alert-texts.ts";

const DATA = join(import.meta.dirname, "../../../shared/safety/data/fixed-texts.json");

const texts: AlarmTexts = alarmTexts(JSON.parse(readFileSync(DATA, "utf8")));
const ALARMS = [...EMERGENCIES, ...CRISES].map(alarmOf);
const WORDS = "I am here.\n\nTell me more.";

let openingText: (alarm: Alarm) => string;
beforeAll(async () => {
  Object.assign(process.env, {
    EMERGENCY_NUMBER: "112 (or 110)",
    CRISIS_LINE: "0800 1110111 [day & night]",
    POISON_CONTROL: "+49 30 19240",
    ABUSE_LINE: "116 016",
  });
  ({ openingText } = await import("../../../shared/safety/fixed-texts.ts"));
});

describe("the page knows the fixed text of every alarm", () => {
  test.each(ALARMS)("$level, $category", (alarm) => {
    const fixed = openingText(alarm);
    expect(answerParts(`${fixed}\n\n${WORDS}`, texts)).toEqual([{ level: alarm.level, text: fixed }, { text: WORDS }]);
    expect(answerParts(fixed, texts)).toEqual([{ level: alarm.level, text: fixed }]);
  });

  test("a crisis that turns out to be an emergency has both", () => {
    const [crisis, emergency] = [alarmOf("self-harm"), alarmOf("bleeding")].map((alarm) => openingText(alarm));
    expect(answerParts(`${crisis}\n\n${emergency}\n\n${WORDS}`, texts)).toEqual([
      { level: "crisis", text: crisis },
      { level: "emergency", text: emergency },
      { text: WORDS },
    ]);
  });
});

test.each(["", WORDS, "Call 911 now.", "This could be an emergency room's opening time."])(
  "other words are no alarm: %j",
  (answer) => {
    expect(answerParts(answer, texts)).toEqual([{ text: answer }]);
  },
);

test("a deployment's own texts may have empty lines and characters that mean something in patterns", () => {
  const own = alarmTexts({
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
