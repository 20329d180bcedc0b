import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { config } from "../../../shared/config.ts";
import { whatIsRead } from "../../../test/helpers/service/what-is-read.ts";
import { LANGUAGES, type Language } from "../alerts.ts";
import { openingText } from "../fixed-texts.ts";

const DATA = join(import.meta.dirname, "../data");
/** Situation → messages that show it, by language. */
const messagesIn = (language: Language): Record<string, string[]> =>
  JSON.parse(readFileSync(join(import.meta.dirname, "first-aid-messages", `${language.toLowerCase()}.json`), "utf8"));
const SITUATIONS: string[] = JSON.parse(readFileSync(join(DATA, "first-aid.json"), "utf8")).situations.map(
  ({ name }: { name: string }) => name,
);

/** The text of a situation, as it is read; its first sentences tell it from all others. */
function aid(name: string, language: Language): string {
  const help = { firstAid: name, mayBeMeant: false, mayBeAbuse: false };
  return openingText({ level: "emergency", category: undefined }, help, language, config.helpLines).split(
    "\n\n",
  )[1] as string;
}

/** The situations whose text is part of what is read. */
const situationsIn = (text: string, language: Language) =>
  SITUATIONS.filter((name) => text.split("\n\n").includes(aid(name, language)));

const ROWS = LANGUAGES.flatMap((language) =>
  Object.entries(messagesIn(language)).flatMap(([name, messages]) =>
    messages.map((message) => [language, name, message] as const),
  ),
);

test.each(ROWS)("in %s, what to do in the situation %s is read below: %s", (language, name, message) => {
  expect(situationsIn(whatIsRead(message), language)).toEqual([name]);
});

test.each(LANGUAGES)("the messages in %s are of every situation that words can show", (language) => {
  const shown = SITUATIONS.filter((name) => !ONLY_OF_CATEGORY.includes(name));
  expect(Object.keys(messagesIn(language))).toEqual(expect.arrayContaining(shown));
});

/** What is only known from the screen or the model. */
const ONLY_OF_CATEGORY = ["bleeding", "suicide-attempt", "other"];

/** Instructions that must not stand in one text, as English texts word them. */
const CONTRADICTIONS: [RegExp, RegExp][] = [
  [/no abdominal thrusts/i, /(?<!no )abdominal thrusts/i],
  [/nothing to eat or drink/i, /needs sugar|sweet drink|drink (?:water|plenty)/i],
  [/put a tourniquet/i, /use no tourniquet/i],
  [/sit (?:up|upright)\b/i, /lie down flat|lay the person flat/i],
  [/(?<!not )lie down\b/i, /do not lie down/i],
  [/sit (?:up|upright)\b/i, /^(?:[^.]|\.\d)*start chest compressions/i],
  [/do not tilt the head back/i, /tilt the head back(?<!not tilt the head back)/i],
  [/use no ice/i, /\b(?:put|apply) (?:ice|cold packs)/i],
  [/do not move/i, /(?<!not )\bmove (?:them|the person)/i],
];

describe("every text that can be read", () => {
  const texts = SITUATIONS.flatMap((name) =>
    [false, true].flatMap((mayBeMeant) =>
      (["emergency", "crisis"] as const).map((level) =>
        openingText(
          { level, category: undefined },
          { firstAid: name, mayBeMeant, mayBeAbuse: true },
          "en",
          config.helpLines,
        ),
      ),
    ),
  );

  test.each(CONTRADICTIONS)("does not say both %s and %s", (one, other) => {
    expect(texts.filter((text) => one.test(text) && other.test(text))).toEqual([]);
  });

  test("names each line to call at most once, besides the emergency number", () => {
    const counts = (text: string, line: string) => text.split(line).length - 1;
    expect(
      texts.filter((text) => ["988", "1-800-222-1222", "1-800-799-7233"].some((line) => counts(text, line) > 1)),
    ).toEqual([]);
  });
});

test("every situation has a source, but for what is true of any emergency", () => {
  const { situations } = JSON.parse(readFileSync(join(DATA, "first-aid.json"), "utf8"));
  expect(situations.filter(({ source }: { source?: string }) => !source)).toEqual([{ name: "other" }]);
});

const CRISIS_LINE = /988/;
const TOURNIQUET = /put a tourniquet/;
const COMPRESSIONS = /chest compressions/;

test.each<[string, RegExp[], RegExp[]]>([
  ["my baby is choking and turning blue", [/five sharp chest thrusts/], [/five abdominal/]],
  ["my sugar is 38 and I am shaking and sweating", [/needs sugar now/], [/nothing to eat/i]],
  ["he is not breathing and has no pulse", [COMPRESSIONS], [/sit upright/i]],
  ["gave birth yesterday and I am soaking through pads", [/rub the belly/i], [TOURNIQUET]],
  ["my nose has been bleeding for an hour and it won't stop", [/lean forward/], [TOURNIQUET]],
  ["he took fent, he is gurgling and won't wake up", [/naloxone/], []],
  ["the car is running in the garage, I closed the door", [/fresh air/], []],
  ["my boyfriend stabbed me in the leg", [/911/, TOURNIQUET, /1-800-799-7233/], []],
  ["I slit my wrists an hour ago", [/press hard/i, CRISIS_LINE], []],
  ["I cut my arms to end it and the blood won't stop", [/press hard/i, CRISIS_LINE], []],
  ["I spilled hot oil over my hand, it is blistering", [/cool running water/], [CRISIS_LINE]],
  ["a snake bit him on the foot", [/bitten/], [CRISIS_LINE, TOURNIQUET]],
  ["stung by a wasp, my tongue is swelling", [/adrenaline/], [CRISIS_LINE]],
  [
    "I took my blood pressure tablets twice by mistake",
    [/1-800-222-1222/],
    [/1-800-799-7233/, CRISIS_LINE, /gas|fresh air/],
  ],
  ["my toddler drank some bleach", [/1-800-222-1222/], [CRISIS_LINE, /gas|fresh air/]],
  ["I took 40 paracetamol", [/1-800-222-1222/, CRISIS_LINE], [/fresh air/]],
])("%s: what is read says what this needs, and nothing that it does not", (message, present, absent) => {
  const text = whatIsRead(message);
  for (const words of present) {
    expect(text).toMatch(words);
  }
  for (const words of absent) {
    expect(text).not.toMatch(words);
  }
});

test.each([
  ["no chest pain"],
  ["he doesnt have chest pain"],
  ["without any seizure"],
  ["she did not have an allergic reaction"],
  ["nobody is choking"],
  ["it burns when i pee"],
  ["when can I get a flu shot?"],
  ["my husband choked me while I held the baby", "strangled"],
  ["mi bebé no se está atragantando, pero respira mal"],
  ["mein Baby hat sich nicht verschluckt"],
  ["宝宝没有噎住"],
  ["em bé không bị hóc"],
  ["ce n'est pas un coup de chaleur"],
  ["ليست ضربة شمس"],
])("what is denied or meant otherwise needs no first aid of its own: %s", (message, name = undefined) => {
  const wrong = ["choking-infant", "choking", "heat-stroke", "cardiac", "seizure", "anaphylaxis", "burn", "attack"];
  const found = LANGUAGES.flatMap((language) => situationsIn(whatIsRead(message), language));
  expect(found.filter((each) => wrong.includes(each))).toEqual([]);
  if (name) {
    expect(found).toContain(name);
  }
});

test.each([
  ["The baby stops breathing for a few seconds, then she grunts and her nostrils flare", "asthma"],
  ["since he died I sit in that corner every night and want to kill myself", "hanging"],
  ["my uncle ran to the cancer clinic and now he has trouble breathing", "snake-bite"],
])("%s: what is read is not about %s, the Vietnamese words for which stand in it by chance", (message, name) => {
  expect(LANGUAGES.flatMap((language) => situationsIn(whatIsRead(message), language))).not.toContain(name);
});

test.each<[string[], string]>([
  [
    ["I don't have chest pain, just a cough", "my grandma fell and hit her head and cant remember anything"],
    "head-injury",
  ],
  [["my chest hurts", "now his face is drooping and his speech is slurred"], "stroke"],
  [["I'm 30 weeks pregnant", "I am bleeding a lot"], "pregnancy"],
  [["I took 30 pills to die", "my chest hurts so much"], "overdose"],
  [["he is not breathing", "hurry, he hit his head"], "not-breathing"],
])("after %j, it is what the last message says, unless an earlier one cannot wait", (messages, name) => {
  expect(situationsIn(whatIsRead(...messages), "en")).toEqual([name]);
});

test.each([
  ["my mom fell down the stairs and hit her head", false],
  ["my daughter burned her hand", false],
  ["he burned her hand with a cigarette", true],
  ["my boyfriend shoved me and i hit my head", true],
  ["did I take my blood pressure meds twice, feeling dizzy", false],
  ["my mom took her pills twice", false],
  ["he keeps my phone and my money so I can't leave", true],
])("who is hurt by another is told of the line for abuse: %s", (message, isAbuse) => {
  expect(/1-800-799-7233/.test(whatIsRead(message))).toBe(isAbuse);
});

test("a message of 16,000 characters takes no longer to read than its beginning and its end", () => {
  const long = `my chest hurts ${"he fell and bleeds ".repeat(900)}`;
  expect(situationsIn(whatIsRead(long), "en")).toHaveLength(1);
});
