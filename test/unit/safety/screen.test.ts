import { describe, expect, test } from "@jest/globals";
import type { Category } from "../../../shared/safety/alert.ts";
import { screen } from "../../../shared/safety/screen.ts";

/** Said plainly, and in no labelled set: what must never be missed. */
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
  ])("leaves %j in peace", (message) => {
    expect(screen(message).finding?.alert).toBeUndefined();
  });

  test("finds a danger beside another that is denied", () => {
    expect(screen("no chest pain but I can't breathe").finding?.alert?.level).toBe("emergency");
    expect(
      screen("I'm not suicidal. My face is drooping and my speech is slurred since this morning.").finding?.alert
        ?.level,
    ).toBe("emergency");
  });

  test("takes the highest of several levels", () => {
    expect(screen("I want to die. I took all my pills an hour ago.").finding?.alert?.level).toBe("emergency");
  });

  test.each(["", " ", "?!", "🙂🙂", "12345", "。。。", "\u0000"])("makes nothing of %j", (message) => {
    expect(screen(message).finding?.alert).toBeUndefined();
  });
});

describe("a message that goes on with earlier ones", () => {
  const EARLIER = ["I have had crushing chest pain and a numb left arm since this morning"];

  test.each(["it's getting worse", "still there", "yes, and now I feel sick too", "what should I do?", "no better"])(
    "%j is as alerting as they are",
    (message) => {
      expect(screen(message, EARLIER).finding?.alert?.level).toBe("emergency");
    },
  );

  test("adds up with them to what neither is alone", () => {
    const earlier = ["My calf has been swollen since the flight."];
    const message = "And now I am short of breath.";
    expect(screen(message, earlier).finding?.alert?.level).toBe("emergency");
  });

  test.each([
    "thank you, the ambulance is here",
    "it went away, feeling better",
    "Another question: when does the clinic open?",
  ])("%j does not go on", (message) => {
    expect(screen(message, EARLIER).finding?.alert).toBeUndefined();
  });

  test("is not read together with messages of long ago", () => {
    expect(
      screen("still the same", [...EARLIER, "thanks", "when does the clinic open?", "and on Sunday?"]),
    ).toBeUndefined();
  });
});
