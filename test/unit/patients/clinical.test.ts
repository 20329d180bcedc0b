import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { findCautions } from "../../../packages/safety/cautions.ts";
import { ageAt, isBirthDate } from "../../../shared/patients/birth-date.ts";
import { edited, rendered } from "../../../shared/patients/clinical.ts";
import type { ClinicalEntry } from "../../../shared/patients/clinical-entry.ts";
import { clinicalFacts } from "../../../shared/patients/clinical-facts.ts";
import { derived, type Patient } from "../../../shared/patients/patient.ts";
import { statementIn } from "../../../shared/patients/statement.ts";
import { growth } from "../../helpers/growth.ts";

function factsOf(...clinical: ClinicalEntry[]): Record<string, unknown> {
  return clinicalFacts({ id: "1", notes: [], ...derived({ clinical }), clinical } as unknown as Patient, undefined);
}

const penicillin: ClinicalEntry = { kind: "allergy", text: "Penicillin" };
const none: ClinicalEntry = { kind: "allergy", text: "No known allergies", statement: "none-known" };
const unknown: ClinicalEntry = { kind: "allergy", text: "Allergies not known", statement: "not-known" };

describe("what is known about allergies", () => {
  test.each<[string, ClinicalEntry[], unknown]>([
    ["no entry", [], "not known"],
    ["none known", [none], ["No known allergies"]],
    ["not known", [unknown], ["Allergies not known"]],
    ["both none known and not known", [none, unknown], ["Allergies not known"]],
    ["one, beside a statement that there are none", [none, penicillin], ["Penicillin"]],
    ["only one that is resolved", [{ ...penicillin, status: "resolved" }], "not known"],
    ["none known, which no longer holds", [{ ...none, status: "inactive" }], "not known"],
    [
      "one with what it led to",
      [{ ...penicillin, verification: "unconfirmed", criticality: "high", reactions: ["Hives"] }],
      [{ name: "Penicillin (unconfirmed)", risk: "high", symptoms: ["Hives"] }],
    ],
  ])("%s", (_, clinical, allergies) => {
    expect(factsOf(...clinical).allergies).toEqual(allergies);
  });

  test("a statement about some allergies stands beside one about another", () => {
    const food: ClinicalEntry = { kind: "allergy", text: "No known food allergy", statement: "none-of-these" };
    expect(rendered([food, penicillin]).allergies).toBe("No known food allergy, Penicillin");
  });

  test.each([
    ["NKDA", "none-of-these"],
    ["No known drug allergy", "none-of-these"],
    ["No known allergies", "none-known"],
    ["Allergies unknown", "not-known"],
    ["No information about allergies", "not-known"],
    ["No known allergies except penicillin", undefined],
    ["Penicillin", undefined],
  ])("%s", (text, statement) => {
    expect(statementIn("allergy", text)).toBe(statement);
  });
});

test("history is a fact of its own, without a caution", () => {
  const facts = factsOf(
    { kind: "condition", text: "Asthma", status: "active" },
    { kind: "condition", text: "Appendicitis", status: "resolved", end: "2022-11-03" },
    { ...penicillin, status: "inactive" },
    { kind: "medication", text: "Warfarin", status: "stopped" },
  );
  expect(facts).toMatchObject({
    conditions: ["Asthma"],
    history: {
      conditions: ["Appendicitis (resolved, until 2022-11-03)"],
      allergies: ["Penicillin (inactive)"],
      medications: ["Warfarin (stopped)"],
    },
  });
  expect(findCautions(facts, "Can I take amoxicillin or aspirin?", "").map(({ kind }) => kind)).toEqual(["condition"]);
});

test("a pregnancy status ends after 42 weeks, an eGFR does not", () => {
  const code = { system: "http://loinc.org", code: "82810-3" };
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const observed = (text: string, start: string) => ({ kind: "observation", text, start, code }) as const;
  const eGFR: ClinicalEntry = { kind: "observation", text: "eGFR 42", start: "2020" };
  const facts = factsOf(eGFR, observed("Pregnant", daysAgo(290)), observed("Pregnant", daysAgo(310)));
  expect(facts.conditions).toEqual(["eGFR 42 (2020)", `Pregnant (${daysAgo(290)})`]);
  expect(findCautions(facts, "Can I take ibuprofen?", "").map((caution) => caution.kind)).toContain("condition");
});

describe("editing a specified field", () => {
  const asthma: ClinicalEntry = { kind: "condition", text: "Asthma", code: { system: "s", code: "c" } };
  const past: ClinicalEntry = { kind: "condition", text: "Appendicitis", status: "resolved" };
  const fish: ClinicalEntry = { kind: "allergy", text: "Fish, shellfish", criticality: "high" };
  const list = [asthma, past, penicillin, fish];

  test("keeps what is still shown, with all it has, and the history", () => {
    expect(edited(list, { conditions: ["Asthma", "gout"] })).toEqual([...list, { kind: "condition", text: "gout" }]);
    expect(edited(list, { conditions: null })).toEqual([past, penicillin, fish]);
  });

  test("finds allergies in the text, whatever commas they contain", () => {
    expect(edited(list, { allergies: "latex (rash, hives), Fish, shellfish" })).toEqual([
      asthma,
      past,
      fish,
      { kind: "allergy", text: "latex (rash, hives)" },
    ]);
  });

  test("recognizes a statement", () => {
    expect(edited([penicillin], { allergies: "No known allergies" })).toEqual([none]);
  });

  test("compares medicines whatever the order of their fields", () => {
    const taken: ClinicalEntry = { kind: "medication", text: "Warfarin", dosage: "5 mg", status: "active" };
    expect(edited([taken], { medications: [{ dosage: "5 mg", name: "Warfarin" }] })).toEqual([taken]);
    expect(edited([taken], { medications: [{ dosage: "3 mg", name: "Warfarin" }] })).toEqual([
      { kind: "medication", text: "Warfarin", dosage: "3 mg" },
    ]);
  });

  test("with the rendered values changes nothing", () => {
    const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== "");
    const entry = fc.record({
      kind: fc.constantFrom("condition", "allergy", "medication"),
      text,
      status: fc.constantFrom("active", "resolved"),
    });
    fc.assert(
      fc.property(fc.array(entry as fc.Arbitrary<ClinicalEntry>), (clinical) => {
        const { allergies = null, ...fields } = rendered(clinical);
        expect(rendered(edited(clinical, { ...fields, allergies }))).toEqual(rendered(clinical));
      }),
    );
  });
});

describe("an age", () => {
  const now = new Date("2026-03-15T12:00:00Z");
  test.each([
    ["1990-03-15", 36],
    ["1990-03-16", 35],
    ["1990-04", 35],
    ["1990", 35],
    ["2026", 0],
    ["2025-12-15", 0.25],
    ["2024-03-16", 1.91],
  ])("of somebody born in %s", (birthDate, age) => {
    expect(ageAt(birthDate, now)).toBe(age);
  });

  test.each(["1990-02-30", "1990-13", "90", "1990-5-7", "2026-03-20", "1870", "1990-05-07T00:00:00Z", ""])(
    "does not follow from %j",
    (text) => {
      expect(isBirthDate(text, now)).toBe(false);
    },
  );
});

test("allergies are edited in linear time in their length and in the entries of a record", () => {
  const inputOf = (size: number) => ({
    record: Array.from({ length: size }, (_, at): ClinicalEntry => ({ kind: "allergy", text: `pollen ${at}` })),
    allergies: Array.from({ length: size }, (_, at) => `dust ${at}`).join(", "),
  });
  expect(growth(inputOf, ({ record, allergies }) => edited(record, { allergies }), 1_000)).toBeLessThan(2.5);
  const { record } = inputOf(100);
  expect(edited(record, { allergies: rendered(record).allergies })).toEqual(record);
});
