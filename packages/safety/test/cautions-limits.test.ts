import { describe, expect, test } from "@jest/globals";
import { growth } from "../../../test/helpers/growth.ts";
import { findCautions } from "../cautions.ts";

const ANSWER = "Amoxicillin is common.";
const cautionsFor = (allergies: unknown) => findCautions({ allergies }, "What could help?", ANSWER);

describe("allergies of any size", () => {
  test.each([3_500, 50_000])("nested %d deep are read", (levels) => {
    let nested: unknown = "penicillin";
    for (let level = 0; level < levels; level++) {
      nested = level % 2 === 0 ? [nested] : { allergy: nested };
    }
    expect(cautionsFor([nested])).toMatchObject([{ allergy: "penicillin", drug: "amoxicillin" }]);
  });

  test.each<[string, (size: number) => string]>([
    ["many negations before an exception", (size) => `no${" known".repeat(size)} but`],
    ["one word many times", (size) => "allergy ".repeat(size)],
    ["one long word", (size) => `no ${"allerg".repeat(size)}`],
    ["many exceptions", (size) => `no known${" other".repeat(size)} than`],
    ["many entries", (size) => "no known,".repeat(size)],
  ])("take linear time in their length: %s", (_, allergies) => {
    expect(growth(allergies, cautionsFor, 4_000)).toBeLessThan(2.5);
  });

  test.each([" asthma", ". no asthma", " no", ", warfarin", "哮喘", "阿司匹林哮喘", "아스피린", "аспирин"])(
    "in notes take linear time in their length: %j",
    (words) => {
      const find = (text: string) => findCautions({ notes: [{ text }] }, "ibuprofen?", "");
      expect(growth((size) => words.repeat(size), find, 2_000)).toBeLessThan(2.5);
    },
  );

  test("that begin with a negation and name an exception are recognized, wherever the exception is", () => {
    expect(cautionsFor("no known allergies but known penicillin reaction")).toMatchObject([{ allergy: "penicillin" }]);
  });
});
