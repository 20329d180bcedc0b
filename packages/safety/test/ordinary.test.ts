import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../screen.ts";

type Kind = "ordinary" | "lasting" | "now" | "beside" | "direct";

/**
 * Language → sentences of everyday life with an illness, complaints of every day, wishes to die that have lasted for
 * months or years, emergencies behind an illness of the past and beside something else, such as a relative's death, a
 * job or a stuffy nose, and plain emergencies and crises; most of English are in other tests.
 */
const SENTENCES: Record<string, Record<Kind, string[]> & { minor?: string[] }> = JSON.parse(
  readFileSync(join(import.meta.dirname, "ordinary.json"), "utf8"),
);

const TOLD: Record<Exclude<Kind, "ordinary">, string> = {
  direct: "whoever says it plainly is told whom to call",
  now: "an illness of the past hides no emergency of the present",
  beside: "what is said of something else hides no alarm",
  lasting: "a wish to die is told whom to call, however long it has lasted",
};

const TURNS = 10;

const certainty = (sentence: string) => screen(sentence).finding?.certainty ?? "none";
const isTold = (sentence: string) => ["certain", "likely"].includes(certainty(sentence));

// One test for each kind and language: each of the thousands of sentences as a test of its own takes four times as long.
describe.each(Object.entries(SENTENCES))("in %s,", (_, sentences) => {
  test("an everyday sentence is not answered with an alert that nobody can take back", () => {
    expect(sentences.ordinary.filter((sentence) => certainty(sentence) === "certain")).toEqual([]);
  });

  test("calm messages one after the other do not add up to a suspicion of the classifier", () => {
    const calm = sentences.ordinary.filter((sentence) => certainty(sentence) === "none").slice(0, 200);
    const conversations = Array.from({ length: TURNS }, (_, step) =>
      Array.from({ length: TURNS }, (_, turn) => calm[(step + turn * (2 * step + 1)) % calm.length] ?? ""),
    );
    const suspected = conversations.flatMap((messages) =>
      messages.filter((message, at) => screen(message, messages.slice(0, at)).finding?.decidedBy === "classifier"),
    );
    expect(suspected).toEqual([]);
  });

  test.each(Object.entries(TOLD))("%s: %s", (kind, _title) => {
    const told = sentences[kind as keyof typeof TOLD];
    expect(told.filter((sentence) => !isTold(sentence))).toEqual([]);
  });
});

test.each(Object.entries(SENTENCES).filter(([, { minor }]) => minor))(
  "in %s, a complaint of every day is at most suspected",
  (_, { minor = [] }) => {
    expect(minor.filter(isTold)).toEqual([]);
  },
);
