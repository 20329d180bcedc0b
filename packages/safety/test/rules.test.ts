import { expect, test } from "@jest/globals";
import { readSentence, rulesMet } from "../screening/rules.ts";
import { sentencesOf } from "../words/words.ts";

const rulesOf = (message: string) => rulesMet(sentencesOf(message).map(readSentence)).map(({ name }) => name);

test("a danger in a film meets no rule, but one that is told many words later without punctuation does", () => {
  const danger = "i cant breathe and my lips are blue";
  const story = "then we tidied the garden and the shed because of the rain on saturday and went home early and now";
  const met = rulesOf(danger);
  expect(met).not.toEqual([]);
  expect(rulesOf(`in the film i saw it ends with ${danger}`)).toEqual([]);
  expect(rulesOf(`${danger} is what they say in that film`)).toEqual([]);
  expect(rulesOf(`we saw a film ${story} ${danger}`)).toEqual(met);
  expect(rulesOf(`${danger} ${story} there is a film on tv`)).toEqual(met);
});

test("the groups of a rule may stand in two consecutive sentences, but not further apart", () => {
  expect(rulesOf("He has a fever. His neck is stiff.")).toEqual(["fever + meningeal"]);
  expect(rulesOf("He has a fever. We had lunch. His neck is stiff.")).toEqual([]);
});
