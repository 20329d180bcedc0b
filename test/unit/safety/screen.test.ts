import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Category } from "../../../shared/safety/alert.ts";
import { screen } from "../../../shared/safety/screen.ts";

/** Plain statements that must never be missed and are in no labeled set. */
const PLAIN: [Category, string[]][] = [
  [
    "cardiac",
    [
      "crushing chest pain going down my left arm",
      "My chest feels tight and I'm sweating and short of breath",
      "I think I'm having a heart attack",
    ],
  ],
  [
    "stroke",
    [
      "his face is drooping and his speech is slurred",
      "my right arm suddenly went numb and I can't lift it",
      "worst headache of my life, came out of nowhere",
    ],
  ],
  [
    "breathing",
    [
      "I can't breathe",
      "her lips are turning blue",
      "my throat is closing up after eating shrimp",
      "my calf is swollen and now I'm short of breath",
    ],
  ],
  ["bleeding", ["the bleeding won't stop, it is soaking through the towel", "I'm vomiting blood"]],
  [
    "poisoning",
    ["my toddler swallowed a button battery", "he drank antifreeze", "I took too many pills by accident, what now"],
  ],
  ["unconscious", ["she collapsed and won't wake up", "my son is having a seizure and it won't stop"]],
  ["head-injury", ["he fell and hit his head and now he keeps vomiting", "hit my head, blacked out and I'm confused"]],
  ["pregnancy", ["I'm 30 weeks pregnant and bleeding heavily", "I haven't felt the baby move since yesterday"]],
  [
    "infection",
    [
      "high fever, stiff neck and the light hurts",
      "fever of 39.5 and he is confused and his skin is mottled",
      "on chemo and I have a fever of 38.5",
    ],
  ],
  ["infant-fever", ["my 6 week old has a fever of 38.4", "newborn is burning up"]],
  ["suicide-attempt", ["I'm going to kill myself tonight", "she wrote a suicide note and took all her pills"]],
  [
    "suicidal-thoughts",
    ["I want to die", "I've been thinking about suicide", "everyone would be better off without me"],
  ],
  ["self-harm", ["I've been cutting myself again", "I have the urge to cut"]],
  ["abuse", ["my husband hits me", "my boyfriend threatened to kill me and he locks me in"]],
];

/** Sentences for the two levels of certainty. */
const QUOTED: { shown: string[]; harmless: string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "..", "tools", "safety", "corpus", "quoted.json"), "utf8"),
);

/** Explicit statements, and harmless ones that resemble them. */
const RULES: [string, string[], string[]][] = [
  [
    "counts of pills and drinks",
    ["I took 25 sleeping pills", "he swallowed 40 tylenol", "drank 20 beers", "took a bottle of aspirin"],
    [
      "I took 2 ibuprofen",
      "I took 400 mg of ibuprofen",
      "I drank coffee 20 minutes ago",
      "it took 25 minutes to get here",
    ],
  ],
  [
    "a child or pet that ate medicine or chemicals",
    ["my toddler ate my blood pressure pills", "the dog ate rat poison", "our cat licked antifreeze"],
    ["my toddler ate a banana", "the dog ate my slippers", "can my son take my antihistamine pills?"],
  ],
  ["shot", ["my brother got shot", "I've been shot"], ["I got my flu shot today", "he was shot in the war"]],
  ["stabbed", ["someone stabbed my friend", "she got stabbed"], ["got stabbed in 2008, the scar itches"]],
  [
    "an ambulance",
    ["send an ambulance", "911", "call me an ambulance"],
    ["I don't need an ambulance", "how much is an ambulance?"],
  ],
  [
    "collapse",
    ["my wife just collapsed", "grandpa collapsed in the kitchen"],
    ["I collapsed on the sofa after work lol"],
  ],
  ["not waking", ["she won't wake up", "I can't wake him"], ["can't wake up without coffee"]],
  [
    "bites",
    ["a rattlesnake bit me", "bitten by a black widow"],
    ["I was bitten by a snake as a child", "mosquito bite"],
  ],
  ["electrocution", ["my son got electrocuted", "he was struck by lightning"], ["the electric bill shocked me"]],
  ["fire", ["my house is on fire", "his clothes caught fire"], ["our team is on fire today"]],
  ["an injured head", ["blood coming from his ear after the fall"], ["fluid in my ear since the cold"]],
  ["an epinephrine pen", ["we used the epipen", "used an epi pen on my daughter"], ["how do I store my epipen?"]],
  ["a miscarriage", ["I'm having a miscarriage and bleeding heavily"], ["I had a miscarriage two years ago"]],
  ["a newborn", ["our newborn is limp", "the baby went limp"], ["what is a normal temperature for a newborn?"]],
  ["home", ["I'm not safe at home", "I don't feel safe at home"], ["I'm safe at home, thanks"]],
  [
    "suicide",
    ["nobody would miss me", "I want to unalive myself", "I want to ctb soon"],
    ["I'll catch the bus at ten", "I'm not suicidal", "that movie about suicide was good", "my boss is killing me"],
  ],
  [
    "short forms",
    ["chest pain, sweating", "can't breathe", "having a stroke"],
    ["no chest pain", "how to prevent a stroke"],
  ],
];

describe("the screen", () => {
  test.each(PLAIN.flatMap(([category, messages]) => messages.map((message) => [message, category] as const)))(
    "raises %j as %s or higher",
    (message, category) => {
      const alert = screen(message).finding?.alert;
      const crisis = ["suicidal-thoughts", "self-harm", "abuse"].includes(category);
      expect(crisis ? ["crisis", "emergency"] : ["emergency"]).toContain(alert?.level);
    },
  );

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

  test("takes the highest of several levels", () => {
    expect(screen("I want to die. I took all my pills an hour ago.").finding?.alert?.level).toBe("emergency");
  });

  test.each(QUOTED.shown)("is certain about %j", (message) => {
    expect(screen(message).finding?.certainty).toBe("certain");
  });

  test.each(QUOTED.harmless)("is not certain about %j", (message) => {
    expect(screen(message).finding?.certainty).not.toBe("certain");
  });

  test.each(RULES.flatMap(([, shown]) => shown))("recognizes the explicit statement %j", (message) => {
    expect(screen(message).finding).toMatchObject({ certainty: "certain" });
  });

  test.each(RULES.flatMap(([, , harmless]) => harmless))("does not take %j for an explicit statement", (message) => {
    expect(screen(message).finding?.certainty).not.toBe("certain");
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
