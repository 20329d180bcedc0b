import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { screen } from "../../../shared/safety/screen.ts";

const TABLES: Record<string, string[]> = JSON.parse(readFileSync(join(import.meta.dirname, "tables.json"), "utf8"));
const table = (name: string) => (TABLES[name] ?? []).map((message) => [message]);
const certaintyOf = (message: string) => screen(message).finding?.certainty;

describe("a message is told whom to call if it has", () => {
  test.each([
    ...table("questions about methods"),
    ...table("a denial in another clause"),
    ...table("letters that are swapped"),
  ])("a danger in it: %s", (message) => {
    expect(["certain", "likely"]).toContain(certaintyOf(message));
  });
});

test.each(table("an alarm called fiction or a joke"))("is at most one certainty lower as a joke: %s", (message) => {
  expect(["certain", "likely"]).toContain(certaintyOf(message));
});

test.each([...table("no question about methods"), ...table("what only sounds like an alarm")])(
  "nobody is told whom to call for %s",
  (message) => {
    expect([undefined, "suspected"]).toContain(certaintyOf(message));
  },
);

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
