import { expect, test } from "@jest/globals";
import { checkWrite, entityTag, isNotModified } from "../../shared/contract/preconditions.ts";

const ETAG = entityTag("r1");

/** Whether a write is rejected, and whether a read is answered with a 304. */
const outcomeOf = (conditions: Parameters<typeof checkWrite>[0], etag?: string) => {
  let write = "made";
  try {
    checkWrite(conditions, etag);
  } catch {
    write = "412";
  }
  return [write, conditions.ifMatch === undefined && isNotModified(conditions, etag) ? "304" : "200"];
};

test.each([
  ['"r1"', "made"],
  ['"r0", "r1"', "made"],
  ["*", "made"],
  ['"a,b" , "r1","c"', "made"],
  ['"a,*,b"', "412"],
  ['"a", *', "412"],
  ['"r2"', "412"],
  ['W/"r1"', "412"],
  ["r1", "412"],
  ["", "412"],
])("with If-Match: %s, a write of r1 is %s", (ifMatch, expected) => {
  expect(outcomeOf({ ifMatch }, ETAG)).toEqual([expected, "200"]);
  if (expected === "412") {
    expect(() => isNotModified({ ifMatch }, ETAG)).toThrow("does not meet the condition");
  }
});

test.each([
  ['"r1"', "304", "412"],
  ['W/"r1"', "304", "412"],
  ['"r0", "r1"', "304", "412"],
  ["*", "304", "412"],
  ['"r2"', "200", "made"],
  ["r1", "200", "made"],
  ["", "200", "made"],
])("with If-None-Match: %s, a read of r1 is a %s, and a write %s", (ifNoneMatch, read, write) => {
  expect(outcomeOf({ ifNoneMatch }, ETAG)).toEqual([write, read]);
});

test("a resource without an entity tag matches only *", () => {
  expect(outcomeOf({ ifMatch: "*" })).toEqual(["made", "200"]);
  expect(outcomeOf({ ifMatch: '"r1"' })).toEqual(["412", "200"]);
  expect(outcomeOf({ ifNoneMatch: "*" })).toEqual(["412", "304"]);
  expect(outcomeOf({ ifNoneMatch: '"r1"' })).toEqual(["made", "200"]);
});

test("a request without conditions is always carried out", () => {
  expect(outcomeOf({}, ETAG)).toEqual(["made", "200"]);
});
