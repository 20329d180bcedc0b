import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { helpLinesOf } from "../../../shared/help-lines.ts";
import { alertOf } from "../alerts.ts";
import { neutralText } from "../fixed-texts.ts";
import { screen } from "../screen.ts";
import { generator } from "../training/generator.ts";
import { adviceFor } from "../wording.ts";

/** Plain English statements that must never be missed and are in no labeled set. */
const { emergencies, crises }: Record<string, string[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, "languages.json"), "utf8"),
).en;

const sentences = JSON.parse(readFileSync(join(import.meta.dirname, "ordinary.json"), "utf8"));

describe("the screen", () => {
  test.each(emergencies ?? [])("raises an emergency for %j", (message) => {
    expect(screen(message).finding?.alert?.level).toBe("emergency");
  });

  test.each(crises ?? [])("raises at least a crisis for %j", (message) => {
    expect(["crisis", "emergency"]).toContain(screen(message).finding?.alert?.level);
  });

  test.each([
    "hello",
    "Thank you!",
    "When is my next appointment?",
    "Can I take ibuprofen with food?",
    "How much vitamin D should I take?",
    "My knee has hurt since I started running, what stretches help?",
    "What are the side effects of metformin?",
    "I have no chest pain and no trouble breathing, just a runny nose.",
    "My father had a heart attack ten years ago. Should I have my cholesterol checked?",
    "I'm dying to know my test results",
    "This cough is killing me",
    "I'm writing a novel in which a character has a stroke. How would she speak afterwards?",
    "What are the warning signs of a stroke?",
    "I had a seizure as a child. May I drive?",
    "The hospital discharged me after my heart attack last month, when can I swim again?",
  ])("does not flag %j", (message) => {
    expect(screen(message).finding?.alert).toBeUndefined();
  });

  test("finds a danger next to one that is denied", () => {
    expect(screen("no chest pain but I can't breathe").finding?.alert?.level).toBe("emergency");
    expect(
      screen("I'm not suicidal. My face is drooping and my speech is slurred since this morning.").finding?.alert
        ?.level,
    ).toBe("emergency");
  });

  test("finds a danger in the middle of a story without punctuation", () => {
    const story = "we went to the market on monday and bought apples and flour for the cake my sister wanted to bake ";
    const { finding } = screen(`${story.repeat(3)} i cant breathe and my lips are blue ${story.repeat(3)}`);
    expect(finding).toMatchObject({ alert: { level: "emergency" }, certainty: "certain" });
  });

  test("takes the highest of several levels", () => {
    expect(screen("I want to die. I took all my pills an hour ago.").finding?.alert?.level).toBe("emergency");
  });

  test.each([
    "I cut my finger while cooking, it stopped bleeding",
    "I cut my finger while cooking and it has stopped bleeding now",
    "I cut my finger chopping onions but it stopped bleeding after I pressed on it",
    "I cut my finger with a knife, it stopped bleeding but it's sore",
    "I sliced my thumb with a knife, it's not bleeding anymore",
    "my kid cut her finger on paper, it stopped bleeding quickly",
    "my son fell and cut his knee, bleeding stopped, plaster on",
    "I cut myself shaving, it stopped bleeding",
    "I cut my finger while cooking, it was stitched up already",
    "I cut my hand on a can last month, it healed",
  ])("shows nothing for a small wound that is over: %j", (message) => {
    expect(screen(message).finding?.certainty).not.toBe("certain");
  });

  test.each([
    "I vomited this morning",
    "Hi, my son threw up twice last night. What can I give him?",
    "I burned my finger on the stove",
    "I burnt my hand with hot coffee. Should I worry?",
    "I cut my leg shaving",
    "My 3 year old has a fever of 38.5",
    "My child has 38.5 fever, what can I give?",
    "My nose is blocked and I can't breathe through it",
  ])("shows nothing for something minor that is all a message tells: %j", (message) => {
    expect(screen(message).finding?.certainty).not.toBe("certain");
  });

  test.each([
    "I vomited this morning and my chest hurts",
    "I vomited this morning. I took 20 pills.",
    "My son vomited twice after falling on his head",
    "My 3 week old has a fever of 38.5",
    "My daughter has a fever of 38.5 and a stiff neck",
    "I cut my arm with a knife",
    "I can't breathe",
  ])("still shows an alert if there is more to it: %j", (message) => {
    expect(screen(message).finding?.certainty).toBe("certain");
  });

  test.each([
    "I cut my finger while cooking, it won't stop bleeding",
    "I cut my finger while cooking, it hasn't stopped bleeding",
    "I cut my hand, bleeding stopped but I feel faint and cold",
    "I cut my wrist, it stopped bleeding",
    "he cut my hand with a knife, it stopped bleeding",
    "cut my hand with a chainsaw, it stopped bleeding, can see bone",
    "I cut my foot, bleeding stopped, but it's red and I have a fever and shaking",
    "I cut my arms last night, it stopped bleeding",
    "I cut my hand again because it calms me, it stopped bleeding",
    "I cut myself because I can't cope, it has healed",
    "I cut my finger shaving, it stopped bleeding. Now I can't breathe",
    "the cut on his hand stopped bleeding but now it is spurting again",
  ])("finds another danger beside a wound: %j", (message) => {
    expect(["certain", "likely"]).toContain(screen(message).finding?.certainty);
  });

  test("names a category only if it is certain", () => {
    expect(screen("I'm having a heart attack").finding).toMatchObject({
      alert: { level: "emergency", category: "cardiac" },
      decidedBy: "rule",
      categoryCertain: true,
    });
    const unclear = screen("he stabbed me").finding;
    expect(unclear).toMatchObject({ certainty: "certain", categoryCertain: false });
  });

  test.each(["", " ", "?!", "🙂🙂", "12345", "。。。", "\u0000"])("finds nothing in %j", (message) => {
    expect(screen(message).finding?.alert).toBeUndefined();
  });
});

describe("a message that continues earlier ones", () => {
  const EARLIER = ["I have had crushing chest pain and a numb left arm since this morning"];

  test.each(["it's getting worse", "still there", "yes, and now I feel sick too", "what should I do?", "no better"])(
    "%j has the same alert level as they have",
    (message) => {
      expect(screen(message, EARLIER).finding?.alert?.level).toBe("emergency");
    },
  );

  test("can complete an alert that neither raises alone", () => {
    const earlier = ["My calf has been swollen since the flight."];
    const message = "And now I am short of breath.";
    expect(screen(message, earlier).finding?.alert?.level).toBe("emergency");
  });

  test.each([
    "thank you, the ambulance is here",
    "it went away, feeling better",
    "Another question: when does the clinic open?",
  ])("%j is not a continuation", (message) => {
    expect(screen(message, EARLIER).finding?.alert).toBeUndefined();
  });

  test.each([
    "What should I eat for breakfast?",
    "How long is the pharmacy open today?",
    "Can you help me find the clinic's number?",
    "I also have a question about my vitamins",
  ])("%j, another topic, is at most a suspicion", (message) => {
    expect(screen(message, EARLIER).finding?.certainty).not.toBe("certain");
  });

  test.each([
    ["he is breathing again", "he is unconscious and not breathing"],
    ["I'm at my mother's place now, I'm safe", "my husband hit me again and choked me"],
  ])("%j does not repeat the alert", (message, earlier) => {
    const { finding, earlierAlert } = screen(message, [earlier]);
    expect(earlierAlert).toBeDefined();
    expect(finding?.certainty).not.toBe("certain");
  });

  test("is not combined with much earlier messages", () => {
    expect(
      screen("still the same", [...EARLIER, "thanks", "when does the clinic open?", "and on Sunday?"]).finding,
    ).toBeUndefined();
  });
});

describe("a conversation", () => {
  const finding = (message: string, ...earlier: string[]) => screen(message, earlier).finding;

  test("of benign turns stays benign", () => {
    const turns = ["hi", "I have a cold", "since Tuesday", "no fever", "ok thanks", "can I take zinc?", "good night"];
    for (const [index, turn] of turns.entries()) {
      expect(finding(turn, ...turns.slice(0, index))).toBeUndefined();
    }
  });

  test("that describes an emergency in two messages raises an alert", () => {
    expect(finding("bleeding", "I can't stop")).toMatchObject({ alert: { level: "emergency" } });
    expect(finding("the bleeding", "it won't stop")).toMatchObject({ alert: { level: "emergency" } });
    expect(finding("pain in my chest", "my left arm is numb and I'm sweating")).toMatchObject({
      alert: { level: "emergency" },
    });
  });

  test.each(["ok", "ok thanks", "she is on her way", "thank you", "yes", "done", "they are coming"])(
    "remembers a certain alert, and %j does not repeat it",
    (message) => {
      const { finding, earlierAlert } = screen(message, ["my dad has crushing chest pain and is sweating"]);
      expect(finding?.certainty).not.toBe("certain");
      expect(earlierAlert).toMatchObject({ level: "emergency", category: "cardiac" });
    },
  );

  test("that is only alarming as a whole is suspected, and never certain", () => {
    const earlier = ["My calf has been swollen since the flight."];
    expect(finding("And now I am short of breath walking upstairs.", ...earlier)?.alert.level).toBe("emergency");
    expect(finding("I can't stop")).toBeUndefined();
    expect(finding("it won't stop", "the bleeding")?.certainty).toBe("suspected");
  });

  test("is read from the beginning and the end of long earlier messages", () => {
    const story = "On Monday we drove to the market and bought apples for the cake. ".repeat(60);
    const alarm = "I have crushing chest pain and I'm sweating. ";
    expect(screen("ok", [alarm + story]).earlierAlert?.level).toBe("emergency");
    expect(screen("ok", [story + alarm]).earlierAlert?.level).toBe("emergency");
  });

  test("is read in the same way if it is known in which of its messages nothing was found", () => {
    const { ordinary, direct } = sentences.en as { ordinary: string[]; direct: string[] };
    const said = [...ordinary.filter((_, index) => index % 12 === 0), ...direct.filter((_, index) => index % 12 === 0)];
    const random = generator(1);
    const drawn = () => said[random() % said.length] as string;
    const nothingFound = new Set(said.filter((message) => screen(message).finding === undefined));
    for (let round = 0; round < 300; round++) {
      const [message, ...earlier] = [round % 5 === 0 ? "ok thanks" : drawn(), drawn(), drawn(), drawn()];
      expect(screen(message, earlier, undefined, nothingFound)).toEqual(screen(message, earlier));
    }
    expect(nothingFound.size).toBeGreaterThan(said.length / 4);
  });

  test("has no earlier alert if there was none", () => {
    expect(screen("ok", ["I have a cold"]).earlierAlert).toBeUndefined();
    expect(screen("ok").earlierAlert).toBeUndefined();
  });
});

describe("the time of the screen", () => {
  const milliseconds = (message: string, earlier: string[] = []): number => {
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      screen(message, earlier);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  };
  const LIGATURE = "\ufdfa";

  // Far more than the 20 ms at most on an idle machine: a superlinear screen takes seconds.
  test.each([
    ["words", "took ".repeat(3_200)],
    ["sentences", "he. ".repeat(4_000)],
    ["numbers", "took 20 ".repeat(2_000)],
    ["one word", "a".repeat(16_000)],
    ["Spanish", "no me duele el pecho ".repeat(800)],
    ["Chinese", "我胸口很痛".repeat(3_200)],
    ["Korean", "갑자기 ".repeat(4_000)],
    ["ligatures", LIGATURE.repeat(16_000)],
  ])("is short for 16,000 characters: %s", (_, message) => {
    expect(milliseconds(message)).toBeLessThan(400);
  });

  test("is bounded for long earlier messages", () => {
    const earlier = Array.from({ length: 50 }, () => LIGATURE.repeat(28_000));
    expect(milliseconds("ok", earlier)).toBeLessThan(400);
  });
});

test.each([
  ["he colapsed and dosnt wake", "unconscious"],
  ["shes chocking on food", "choking"],
  ["drank blech from a cup by acident", "poisoning"],
  ["my son is fiting and its not stoping", "seizure"],
  ["bleding wont stop pls", "wound"],
])("a word of an alarm that lacks a letter or has one too many is read as it was meant: %s", (message, situation) => {
  const finding = screen(message).finding;
  const { firstAid } = adviceFor(
    { alert: finding?.alert ?? alertOf("other"), categoryCounts: false, messages: [message] },
    {},
  );
  expect([finding?.certainty, firstAid]).toEqual(["certain", situation]);
});

test.each([
  "we had a good time at the beach and my son swallowed some water",
  "I cooked a steak and liked it",
  "nobody's having a heart attack here",
  "the batery of my hearing aid is low",
])("another word that differs by a letter from one of an alarm is not read for it: %s", (message) => {
  expect(screen(message).finding?.certainty).not.toBe("certain");
});

const FRAMES = [
  "{}",
  "I have {}",
  "my husband has a sudden {}",
  "I think my 3 year old is having a {}",
  "he has {} since this morning, what should I do",
  "my elderly aunt has {} can I give her something",
];

test.each(["trouble breathing", "facial drooping", "seizure", "gunshot wound", "suicidal thoughts"])(
  "the name of a danger is certain, and told as such, whatever stands before and behind it: %s",
  (name) => {
    const found = FRAMES.map((frame) => screen(frame.replace("{}", name)).finding);
    expect(found.map((finding) => finding?.certainty)).toEqual(FRAMES.map(() => "certain"));
    expect(new Set(found.map((finding) => finding?.alert.category)).size).toBe(1);
  },
);

test.each([
  "I have a plan to end my contract",
  "my husband does not have facial drooping",
  "what is a seizure",
  "I have no suicidal thoughts",
  "I have a gunshot wound scar",
])("what only contains such a name is not certain: %s", (message) => {
  expect(screen(message).finding?.certainty).not.toBe("certain");
});

test("a suspicion in the new message counts before what the last messages add up to, so that its text has the crisis line", () => {
  const earlier = ["I cut my finger with a knife at home and it won't stop bleeding"];
  const message = "i dont want to be alve anymore";
  const { finding } = screen(message, earlier);
  expect(finding).toMatchObject({ certainty: "suspected", alert: { category: "suicidal-thoughts" } });
  const alert = finding?.alert ?? alertOf("other");
  const help = adviceFor({ alert, categoryCounts: false, messages: [...earlier, message] }, {});
  expect(neutralText(help, "en", helpLinesOf("US"))).toContain("988");
});

test("what is told over several messages is noticed once it is a danger together, or once one of them is suspected", () => {
  expect(
    screen("nothing. my friends don't text me anymore", ["i feel so heavy", "i can't do this anymore"]).finding,
  ).toBeDefined();
  expect(screen("all of them", ["I have 40 sleeping pills here", "I took them"]).finding).toBeDefined();
});

test("a wish that may be one to die is not taken for one of every day", () => {
  expect(screen("I want to jump").finding).toBeDefined();
});

test.each([
  "I want to dieeee",
  "she won't stop bleeeeding",
  "he is gonna killll himself",
  "quiero morirrrr",
  "não consigo respiraaaar",
  "je veux mourirrrr",
  "ich bekomme keine Luftttt",
  "я еле дышуууу",
  "tôi đau ngựcccc",
  "hindi makahinga ang anak koooo",
])("letters that are stretched in fear hide nothing: %s", (message) => {
  expect(["certain", "likely"]).toContain(screen(message).finding?.certainty);
});
