import { expect, test } from "@jest/globals";
import { splitPhoneNumbers } from "../../../web/playground/phone-numbers.ts";

const links = (text: string, isAlert: boolean) =>
  splitPhoneNumbers(text, isAlert).flatMap(({ text: number, href }) => (href ? [`${number} ${href}`] : []));

test.each([
  ["Call 911 now, or have someone call.", ["911 tel:911"]],
  ["Please call or text 988.", ["988 tel:988"]],
  ["Ruf 112 an. Gift: 1-800-222-1222.", ["112 tel:112", "1-800-222-1222 tel:18002221222"]],
  ["Samaritans: 116 123 (free)", ["116 123 tel:116123"]],
  ["Clinic: +1 (555) 010-0001", ["+1 (555) 010-0001 tel:+15550100001"]],
  ["In 5 minutes", []],
])("in an alert, %j has the numbers %j", (text, expected) => {
  expect(links(text, true)).toEqual(expected);
});

test.each([
  ["If it gets worse, call 911.", ["911 tel:911"]],
  ["Call (555) 010-0001 or 555-010-0002.", ["(555) 010-0001 tel:5550100001", "555-010-0002 tel:5550100002"]],
  ["+1 555-010-0001", ["+1 555-010-0001 tel:+15550100001"]],
  ["Take 200 mg every 6 to 8 hours, at most 1200 mg, since 2024.", []],
  ["A dose of 112 mg, 911.5 or 1,988 units", []],
])("in the model's words, %j has the numbers %j", (text, expected) => {
  expect(links(text, false)).toEqual(expected);
});

test("the pieces add up to the text", () => {
  const text = "Call 911, then 1-800-222-1222 or 988!";
  expect(
    splitPhoneNumbers(text, true)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
  expect(splitPhoneNumbers("", true)).toEqual([]);
});
