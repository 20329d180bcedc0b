import { describe, expect, test } from "@jest/globals";
import { chart, initials, nameOf, phoneText } from "../../../web/playground/chart.ts";

const values = (patient: Parameters<typeof chart>[0]) =>
  Object.fromEntries(chart(patient).facts.map((fact) => [fact.label, fact.values]));

describe("a chart", () => {
  test("shows the record's content, allergies first and as an alert", () => {
    const patient = {
      age: 0,
      gender: "female",
      phone_number: "15555550101",
      conditions: ["asthma", '{"name":"migraine","symptoms":["aura"]}', "12", "{broken"],
      medications: [{ name: "warfarin", dosage: "5 mg", frequency: "daily" }, { name: "insulin" }],
      allergies: "penicillin,  latex,",
    };
    expect(chart(patient).demographics).toBe("0 years · female · +1 555 555 0101");
    expect(values(patient)).toEqual({
      Allergies: ["penicillin", "latex"],
      Conditions: ["asthma", "migraine", "12", "{broken"],
      Medications: ["warfarin 5 mg daily", "insulin"],
    });
    expect(chart(patient).facts.map(({ label, alert }) => [label, alert])).toEqual([
      ["Allergies", true],
      ["Medications", false],
      ["Conditions", false],
    ]);
  });

  test.each([[{}], [{ conditions: [], medications: null, allergies: null, age: null, gender: null }]])(
    "of a patient without a record is empty: %j",
    (patient) => {
      expect(chart(patient).demographics).toBe("No details recorded");
      expect(values(patient)).toEqual({ Allergies: [], Conditions: [], Medications: [] });
    },
  );
});

test.each([
  ["15555550101", "+1 555 555 0101"],
  ["(555) 555-0101", "+1 555 555 0101"],
  ["+44 20 7946 0018", "+44 20 7946 0018"],
  ["12", "12"],
  ["", ""],
  ["4534567890", "+4534567890"],
  ["+45 34 56 78 90", "+45 34 56 78 90"],
])("the phone number %j is shown as %j", (number, shown) => {
  expect(phoneText(number)).toBe(shown);
});

test.each([
  ["Maria Example", "Maria Example", "ME"],
  [" ana  maria de example ", "ana  maria de example", "AE"],
  ["Cher", "Cher", "C"],
  ["ليلى مثال", "ليلى مثال", "لم"],
  ["", "Patient without a name", "?"],
  [undefined, "Patient without a name", "?"],
])("the patient %j is shown as %j with the initials %j", (name, shown, letters) => {
  expect(nameOf({ name })).toBe(shown);
  expect(initials({ name })).toBe(letters);
});
