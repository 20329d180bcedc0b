import { describe, expect, test } from "@jest/globals";
import { ReasoningFilter } from "../../../shared/model/reasoning-filter.ts";
import { beginsLikeReasoning } from "../../../shared/model/reasoning-openings.ts";
import { REASONING_FORMS } from "../../../tools/safety/wire-forms.ts";

const AS_IT_READS = { whole: false, suspected: false };

/** What comes out of pieces, one after another. */
function read(pieces: string[], reading = AS_IT_READS): string[] {
  const filter = new ReasoningFilter(reading);
  const passed = pieces.map((piece) => filter.push(piece));
  passed.push(filter.end(true));
  expect(filter.leaked).toBe(false);
  return passed;
}

/** A text and what remains of it, of each form that is an answer. */
const ANSWERS = REASONING_FORMS.flatMap(({ name, json, expected }) => {
  const { content } = JSON.parse(json).choices[0].message;
  return "answer" in expected ? [[name, content, expected.answer] as const] : [];
});

describe("reasoning is removed wherever the pieces of a text end:", () => {
  test.each(ANSWERS)("%s", (_, content, answer) => {
    expect(
      read([...content])
        .join("")
        .trim(),
    ).toBe(answer);
    for (let at = 0; at <= content.length; at++) {
      expect(
        read([content.slice(0, at), content.slice(at)])
          .join("")
          .trim(),
      ).toBe(answer);
    }
    expect(
      read([content], { ...AS_IT_READS, whole: true })
        .join("")
        .trim(),
    ).toBe(answer);
  });
});

/** How many words the reader waits for the first of them. */
function wordsUntilFirst(answer: string, suspected = false): number {
  const passed = read(answer.match(/\S+\s*/g) ?? [], { whole: false, suspected });
  return passed.findIndex((text) => text.trim() !== "") + 1;
}

describe("the first words", () => {
  test.each(["[[level: none]]\nOkay, so you have a headache.", "**[[level: none]]** I need to know more."])(
    "of an answer that begins with its level are passed on at once, even from a model that is known to reason: %j",
    (answer) => {
      expect(wordsUntilFirst(answer)).toBeLessThan(3);
      expect(wordsUntilFirst(answer, true)).toBeLessThan(3);
    },
  );

  test.each([
    "Rest and drink plenty of water.",
    "Drink plenty of water.",
    "It is best to rest.",
    "I am sorry that you feel unwell.",
    "I can help with that.",
    "Yes, you can take it with food.",
    "The clinic opens at eight.",
    "You should see a doctor.",
    "Take one tablet, <b>with food</b>.",
    "1. Rest.",
    "**Rest** is best.",
    "Descanse y beba agua.",
    "您应该休息。喝水。",
  ])("of an answer without a level that talks to its reader are passed on after three words at most: %s", (answer) => {
    expect(wordsUntilFirst(answer)).toBeLessThan(4);
  });

  test("of a text that reads like reasoning wait for its end, and are all there if it is none", () => {
    const answer = "Okay, so you have a headache. Rest today.";
    expect(
      read([...answer])
        .slice(0, -1)
        .join(""),
    ).toBe("");
    expect(read([...answer]).join("")).toBe(answer);
  });

  test.each(
    ["okay", "ok", "alright", "all right", "so", "well", "now", "right", "good", "got it", "great"].flatMap((filler) =>
      ["so", "the user", "let", "i need", "i should", "this", "we", "they", "here"].map((subject) => [filler, subject]),
    ),
  )("wait if they are a model's to itself: %s, %s", (filler, subject) => {
    for (const pause of [", ", ". ", " "]) {
      expect(beginsLikeReasoning(`${filler}${pause}${subject} and more`)).toBe("yes");
    }
  });

  test.each(["analysis", "commentary"])("wait for what follows %s, which may be the name of a channel", (channel) => {
    expect(beginsLikeReasoning(channel.slice(0, -1))).toBe("unclear");
  });

  test("of a model that is known to reason wait, too, if they are not its level", () => {
    const answer = "Rest today.";
    expect(
      read([...answer], { whole: false, suspected: true })
        .slice(0, -1)
        .join(""),
    ).toBe("");
    expect(read([...answer, "</think>Drink."], { whole: false, suspected: true }).join("")).toBe("Drink.");
  });
});

describe("reasoning is removed whichever word its tags have:", () => {
  const WORDS = `think thinking thought thoughts thought_process thinking_process antthinking ant_thinking reason reasoning
    rationale reflect reflection self_reflection analysis scratchpad scratch_pad monologue inner_monologue inner_thoughts
    inner_voice cot chain_of_thought deliberation planning internal brainstorm`;

  test.each(WORDS.split(/\s+/))("%s", (word) => {
    expect(
      read([`<${word}>Rest or not?</${word}>`, "Rest today."])
        .join("")
        .trim(),
    ).toBe("Rest today.");
  });

  test.each("answer response final final_answer final_response output solution reply".split(" "))(
    "but an answer in the tag %s stays, without it",
    (word) => {
      expect(
        read([`<think>hm</think><${word}>Rest today.</${word}>`])
          .join("")
          .trim(),
      ).toBe("Rest today.");
    },
  );
});

describe("reasoning that was not recognized before its end", () => {
  const unrecognized = ["Rest or not? ", "I would say rest.", "</think>", "Rest today."];

  test("is noticed, so that the answer does not count", () => {
    const filter = new ReasoningFilter(AS_IT_READS);
    for (const piece of unrecognized) {
      filter.push(piece);
    }
    filter.end(true);
    expect(filter.leaked).toBe(true);
  });

  test("is removed from a response that arrives as a whole", () => {
    expect(read(unrecognized, { ...AS_IT_READS, whole: true }).join("")).toBe("Rest today.");
  });
});

test("what is held back of an answer that was cut is dropped if it reads like reasoning, and kept if not", () => {
  const rest = (text: string) => {
    const filter = new ReasoningFilter({ whole: true, suspected: false });
    filter.push(text);
    return filter.end(false);
  };
  expect(rest("Okay, the user has a headache. I should")).toBe("");
  expect(rest("Take one tablet. Never take it with")).toBe("Take one tablet. Never take it with");
});

test("what is held back of a model that may reason is passed on once its reasoning comes in a field of its own", () => {
  const filter = new ReasoningFilter({ whole: false, suspected: true });
  const answer = "Rest today, and drink a glass of water every hour.";
  expect(filter.push(answer)).toBe("");
  expect(filter.noteSeparateReasoning()).toMatch(/^Rest today/);
});

test("an end that is left over at the end of an answer takes nothing away", () => {
  expect(read(["<think>hm</think>Rest today.", "</think>"]).join("")).toBe("Rest today.");
  expect(read(["<think>hm</think>Rest today.</think>"], { ...AS_IT_READS, whole: true }).join("")).toBe("Rest today.");
});
