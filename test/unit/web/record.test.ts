import { describe, expect, test } from "@jest/globals";
import { changesOf, differences, rebase, recordText } from "../../../web/playground/record.ts";

const MIGRAINE = JSON.stringify({ name: "migraine", symptoms: ["aura"] });

const PATIENT = {
  name: " Ana  Example ",
  phone_number: "15555550101",
  age: 0.5,
  gender: null,
  conditions: [MIGRAINE, "diabetes, type 2", MIGRAINE.replace("aura", "nausea")],
  medications: [
    { name: "warfarin", dosage: "5 mg", frequency: "daily, at night" },
    { name: "insulin" },
    { frequency: "daily" },
  ],
  allergies: "penicillin,\nlatex",
  consent: { given: true, at: "2026-03-01T09:00:00.000Z", version: "2026-03" },
};

describe("the text of a record", () => {
  test("has one line for each condition and medication", () => {
    expect(recordText(PATIENT)).toEqual({
      name: "Ana Example",
      phone_number: "+1 555 555 0101",
      age: "0.5",
      gender: "",
      allergies: "penicillin, latex",
      conditions: "migraine\ndiabetes, type 2\nmigraine",
      medications: "warfarin, 5 mg, daily, at night\ninsulin\n, , daily",
      consent: "given",
      consentVersion: "2026-03",
    });
  });

  test("is empty for nobody, and where nothing is recorded", () => {
    const empty = Object.fromEntries(Object.keys(recordText(PATIENT)).map((field) => [field, ""]));
    expect(recordText(undefined)).toEqual(empty);
    expect(recordText({ age: null, gender: null, conditions: [], medications: null, allergies: null })).toEqual(empty);
  });
});

describe("the changes of a record", () => {
  const changes = (typed: Partial<ReturnType<typeof recordText>>) =>
    changesOf(PATIENT, { ...recordText(PATIENT), ...typed }, new Date("2026-04-01T09:00:00Z"));

  test.each([
    ["nothing", {}, {}],
    ["only spaces", { name: "Ana   Example ", conditions: "migraine\r\n\r\n diabetes,  type 2\r\nmigraine" }, {}],
    ["a text", { allergies: "latex" }, { allergies: "latex" }],
    ["a number", { age: " 0 " }, { age: 0 }],
    [
      "a consent that was withdrawn",
      { consent: "not given" },
      { consent: { given: false, at: "2026-04-01T09:00:00.000Z", version: "2026-03" } },
    ],
    [
      "a consent to another text",
      { consentVersion: "2026-04" },
      { consent: { given: true, at: "2026-04-01T09:00:00.000Z", version: "2026-04" } },
    ],
    ["a consent that was removed", { consent: "", consentVersion: "" }, { consent: null }],
    [
      "emptied fields",
      { age: "", phone_number: " ", medications: "\n" },
      { age: null, phone_number: null, medications: null },
    ],
    ["one of several lines", { conditions: "asthma\nmigraine" }, { conditions: ["asthma", MIGRAINE] }],
    [
      "the order of lines",
      { conditions: "diabetes, type 2\nmigraine\nmigraine" },
      { conditions: [PATIENT.conditions[1], PATIENT.conditions[0], PATIENT.conditions[2]] },
    ],
    [
      "a medication",
      { medications: "warfarin, 6 mg, daily\ninsulin\n, , daily\naspirin" },
      {
        medications: [
          { name: "warfarin", dosage: "6 mg", frequency: "daily" },
          { name: "insulin" },
          { name: "", frequency: "daily" },
          { name: "aspirin" },
        ],
      },
    ],
  ])("are what was typed: %s", (_, typed, patch) => {
    expect(changes(typed)).toEqual(patch);
  });

  test("of a new patient are what was filled in", () => {
    const typed = { ...recordText(undefined), name: "Ana", age: "34", conditions: "asthma\nmigraine" };
    expect(changesOf(undefined, typed)).toEqual({ name: "Ana", age: 34, conditions: ["asthma", "migraine"] });
  });
});

test("what was typed is applied to a record that somebody else has changed", () => {
  const before = recordText(PATIENT);
  const current = recordText({ ...PATIENT, age: 1, allergies: "nuts", conditions: [] });
  expect(differences(before, current)).toEqual(["age", "allergies", "conditions"]);
  expect(rebase(before, { ...before, allergies: "latex", gender: "female" }, current)).toEqual({
    ...current,
    allergies: "latex",
    gender: "female",
  });
});
