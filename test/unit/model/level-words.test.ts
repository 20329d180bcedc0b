import { expect, test } from "@jest/globals";
import { readVerdict } from "../../../shared/model/level-words.ts";
import { growth } from "../../helpers/growth.ts";

/** Replies to the request for a verdict: "none", the level, or the category if it is certain. */
test.each([
  ['{"level":"none","category":"none","certainty":"certain"}', "none"],
  ['{"level":"none","category":"none","certainty":"unsure"}', "none"],
  ['{"level":"emergency","category":"stroke","certainty":"certain"}', "stroke"],
  ['{"level":"emergency","category":"stroke","certainty":"unsure"}', "emergency"],
  ['{"level":"crisis","category":"stroke","certainty":"certain"}', "crisis"],
  ['```json\n{\n  "level": "crisis",\n  "category": "self-harm"\n}\n```', "self-harm"],
  ['Here is my verdict: {"Level": "Emergency"}', "emergency"],
  ['{"level":"emergency","category":"str', "emergency"],
  ["{'level': 'crisis'}", "crisis"],
  ['{"level": "suicidal-thoughts"}', "suicidal-thoughts"],
  ['{"level": "none"} {"level": "crisis"}', "crisis"],
  ["[[level: emergency stroke]]", "stroke"],
  ["level: none", "none"],
  ["Crisis.", "crisis"],
  ["**none**", "none"],
  ["级别：紧急", "emergency"],
])("the verdict %j is read as %s", (text, expected) => {
  const read = readVerdict(text);
  expect(read && (read.named ? read.alert?.category : (read.alert?.level ?? "none"))).toBe(expected);
});

test.each([
  ...[
    "",
    "{}",
    "null",
    "I'm sorry, I can't help with that.",
    "Please call a doctor if it gets worse.",
    '{"level": null}',
  ],
  ...[
    '{"level": "severe"}',
    '{"level": "none|crisis|emergency"}',
    '{"answer": "Drink water."}',
    "This is not an emergency.",
  ],
])("%j is no verdict", (text) => {
  expect(readVerdict(text)).toBeUndefined();
});

test.each(['"', "\u200b", "*", "level "])("a verdict is read in bounded time, however long: %j", (piece) => {
  expect(growth((size) => piece.repeat(size), readVerdict, 4_000)).toBeLessThan(2.5);
  expect(readVerdict(`${piece.repeat(10_000)}\n{"level": "crisis"}`)?.alert?.level).toBe("crisis");
});
