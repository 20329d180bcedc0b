import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { COUNTRIES, chooseHelpLines } from "../../shared/help-lines.ts";

const FILE = join(import.meta.dirname, "../../shared/help-lines.json");
const { countries } = JSON.parse(readFileSync(FILE, "utf8"));

const US = chooseHelpLines({});
const OWN = { emergencyNumber: "112", crisisLine: "116 123", poisonControl: "none", abuseLine: "1522" };

describe("the help lines of a country", () => {
  test("are there for at least twelve countries", () => {
    expect(COUNTRIES.length).toBeGreaterThanOrEqual(12);
  });

  test.each(COUNTRIES)("of %s have a source and a date each, and a way to reach the crisis line", (country) => {
    for (const line of Object.values(countries[country]).filter((part) => part !== null)) {
      expect(line).toMatchObject({
        value: expect.stringMatching(/\d{2}/),
        source: expect.stringMatching(/\w/),
        date: expect.stringMatching(/^(20\d\d(-[01]\d)?|not compared)$/),
      });
    }
    expect(countries[country].crisisLine.by).toMatch(/^(call|text|both)$/);
    expect(chooseHelpLines({ country })).toMatchObject({ crisisLine: expect.stringMatching(/\d{2}/) });
  });

  test("are those of the US if nothing is set", () => {
    expect(US).toMatchObject({ emergencyNumber: "911", crisisLineBy: "both", poisonControl: "1-800-222-1222" });
    expect(chooseHelpLines({ country: "US", emergencyNumber: "911" })).toEqual(US);
  });

  test("are complete: a part that the country does not have is empty", () => {
    expect(chooseHelpLines({ country: "DE" })).toEqual({
      emergencyNumber: "112",
      crisisLine: "116 123 (TelefonSeelsorge)",
      crisisLineBy: "call",
      poisonControl: "",
      abuseLine: "116 016 (Hilfetelefon Gewalt gegen Frauen)",
    });
  });
});

test("numbers of one's own are a set, too", () => {
  expect(chooseHelpLines(OWN)).toEqual({ ...OWN, crisisLineBy: "both", poisonControl: "" });
  expect(chooseHelpLines({ ...OWN, crisisLineBy: "call" })).toMatchObject({ crisisLineBy: "call" });
});

test.each([
  [{ emergencyNumber: "112" }, "emergencyNumber is set without crisisLine, poisonControl, abuseLine; set country or"],
  [{ ...OWN, abuseLine: "" }, "emergencyNumber is set without abuseLine; set country or all of these"],
  [{ country: "IE", crisisLine: "988" }, 'crisisLine is "988", but country IE has "116 123 (Samaritans)"; set either'],
  [{ country: "DE", poisonControl: "1-800-222-1222" }, 'poisonControl is "1-800-222-1222", but country DE has "none"'],
  [{ country: "FR", crisisLineBy: "text" }, 'crisisLineBy is "text", but country FR has "call"'],
  [{ crisisLineBy: "call" }, 'crisisLineBy is "call", but country US has "both"'],
  [{ country: "XX" }, 'country is "XX"; it must be one of US, CA'],
  [{ ...OWN, crisisLine: "none" }, "emergencyNumber and crisisLine must not be none."],
  [{ ...OWN, crisisLineBy: "fax" }, "crisisLineBy must be one of call, text, both."],
])("a mixture is refused: %j", (settings, problem) => {
  expect(chooseHelpLines(settings)).toContain(problem);
});
