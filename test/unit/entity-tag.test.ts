import { expect, test } from "@jest/globals";
import { entityTag, matches } from "../../shared/entity-tag.ts";

test("an entity tag is a quoted string", () => {
  expect(entityTag("r1")).toBe('"r1"');
});

test.each([
  ['"r1"', true],
  ['"r0", "r1"', true],
  ["*", true],
  ['"a,b" , "r1","c"', true],
  ['"a,*,b"', false],
  ['"a", *', false],
  ['"r2"', false],
  ['W/"r1"', false],
  ["r1", false],
  ["", false],
])("If-Match: %s matches r1: %s", (ifMatch, expected) => {
  expect(matches(ifMatch, "r1")).toBe(expected);
});
