import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../screen.ts";

const TABLES: Record<string, string[]> = JSON.parse(readFileSync(join(import.meta.dirname, "tables.json"), "utf8"));
const table = (name: string) => (TABLES[name] ?? []).map((message) => [message]);
const certaintyOf = (message: string) => screen(message).finding?.certainty;

describe("a message is told whom to call if it has", () => {
  test.each([
    ...table("questions about methods"),
    ...table("a denial in another clause"),
    ...table("letters that are swapped"),
    ...table("a burn in another language"),
    ...table("a side that is paralyzed, in another language"),
    ...table("Korean words whose letters also end one word and begin the next"),
  ])("a danger in it: %s", (message) => {
    expect(["certain", "likely"]).toContain(certaintyOf(message));
  });
});

test.each(table("an alarm called fiction or a joke"))("is told whom to call as a joke, too: %s", (message) => {
  expect(["certain", "likely"]).toContain(certaintyOf(message));
});

test.each([
  ...table("no question about methods"),
  ...table("what only sounds like an alarm"),
  ...table("boiling water in a kitchen"),
])("nobody is told whom to call for %s", (message) => {
  expect([undefined, "suspected"]).toContain(certaintyOf(message));
});

test.each(table("no certain alert"))("what is no danger, or is treated, gets no alert that stands: %s", (message) => {
  expect(certaintyOf(message)).not.toBe("certain");
});

test.each(table("an alarm beside what excuses another"))(
  "an alarm is certain beside what excuses another: %s",
  (message) => {
    expect(certaintyOf(message)).toBe("certain");
  },
);

test.each(table("a relative's alarm"))("an alarm is certain for a relative, too: %s", (message) => {
  expect(certaintyOf(message)).toBe("certain");
});

test.each(table("only likely in other languages"))("what only names a danger is likely, not certain: %s", (message) => {
  expect(certaintyOf(message)).toBe("likely");
});

test.each(table("no certain alert in other languages"))("what is over or a question is not certain: %s", (message) => {
  expect(certaintyOf(message)).not.toBe("certain");
});

test("nothing in a long letter in another language is certain", () => {
  const story = "Fuimos al mercado el lunes y compramos manzanas para la tarta. ".repeat(4);
  expect(certaintyOf("me duele mucho el pecho")).toBe("certain");
  expect(certaintyOf(`${story} me duele mucho el pecho. ${story}`)).toBe("likely");
});

test.each([
  "Ich möchte mich umbringen",
  "quiero matarme",
  "je veux me tuer",
  "хочу убить себя",
  "أريد أن أنتحر",
  "我想自杀",
])("a wish to die has its category: %s", (message) => {
  expect(screen(message).finding).toMatchObject({ alert: { category: "suicidal-thoughts" }, categoryCertain: true });
});

test.each(table("denials"))("a message that only denies something is no danger: %s", (message) => {
  expect(certaintyOf(message)).toBeUndefined();
});

test("two messages that only deny something are no danger together", () => {
  expect(screen("he doesnt have chest pain", ["I don't have chest pain, just a cough"]).finding).toBeUndefined();
});

test.each(table("no denials"))("a danger told with a negation is noticed: %s", (message) => {
  expect(certaintyOf(message)).toBeDefined();
});

test.each([
  ["she won't wake up", "she wont wake up", "she will not wake up", "she won t wake up"],
  ["I can't breathe", "I cant breathe", "I cannot breathe", "I can t breathe"],
  ["he isn't responding", "he isnt responding", "he is not responding", "he isn t responding"],
  ["I don't want to live", "I dont want to live", "I do not want to live", "I don t want to live"],
  [
    "I haven't felt the baby move",
    "I havent felt the baby move",
    "I have not felt the baby move",
    "I haven’t felt the baby move",
  ],
])("a negation says the same however it is written: %s", (message, ...forms) => {
  expect(forms.map((form) => screen(form).finding?.certainty)).toEqual(forms.map(() => certaintyOf(message)));
});

test.each([
  "word word",
  "word ".repeat(10),
  "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
  "test test test",
])("words without meaning are no danger: %s", (message) => {
  expect(certaintyOf(message)).toBeUndefined();
});

test.each([
  ["My mom can't breathe, her lips are blue!!", ["lips are blue"]],
  ["Hola, no puedo respirar.", ["no puedo respirar"]],
  ["不好意思，我想死", ["我想死"]],
  ["Помогите, не могу дышать", ["не могу дышать"]],
])("the evidence in %j is quoted as it was written", (message, quotes) => {
  expect(screen(message).finding?.evidence).toEqual(quotes);
});
