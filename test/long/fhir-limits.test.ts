import { describe, expect, test } from "@jest/globals";
import { importRecord } from "../../shared/fhir/import-record.ts";
import { MAX_ELEMENTS } from "../../shared/fhir/shape.ts";
import { bundle, many, person, statement } from "../helpers/fhir/resources.ts";
import { growth } from "../helpers/growth.ts";

type Resource = Record<string, unknown>;

const read = (body: Resource) => importRecord({ body, type: undefined }, "no");

/** The outcome for a caller: how much was read, or how many faults there are. */
function outcome(body: Resource): number {
  try {
    return JSON.stringify(read(body)).length;
  } catch (error) {
    return JSON.stringify(error).length;
  }
}

/** Long lists of what is read, and of what is repeated for each of something else. */
const SHAPES: Record<string, (size: number) => Resource> = {
  "names that are none": (size) => bundle(person({ name: many(size, () => 1) })),
  "names that are empty": (size) => bundle(person({ name: many(size, () => ({})) })),
  "given names": (size) => bundle(person({ name: [{ given: many(size, () => "x") }] })),
  "phone numbers": (size) =>
    bundle(person({ telecom: many(size, (index) => ({ system: "phone", value: String(5_550_000_000 + index) })) })),
  "identifiers and subjects": (size) =>
    bundle(
      person({ identifier: many(size, (index) => ({ system: "s", value: String(index) })) }),
      ...many(size, (index) => ({
        resourceType: "Condition",
        code: { text: "x" },
        subject: { identifier: { system: "s", value: `other ${index}` } },
      })),
    ),
  "ingredients of a medicine that is in many statements": (size) =>
    bundle(
      person(),
      {
        resourceType: "Medication",
        id: "m",
        ingredient: many(size, (index) => ({ itemCodeableConcept: { text: `substance ${index}` } })),
      },
      ...many(size, () => statement({ medicationReference: { reference: "Medication/m" } })),
    ),
  "contained medicines": (size) =>
    bundle(
      person(),
      statement({
        medicationReference: { reference: "#none" },
        contained: many(size, (index) => ({ resourceType: "Medication", id: `m${index}`, code: { text: "x" } })),
      }),
    ),
  doses: (size) =>
    bundle(
      person(),
      statement({ medicationCodeableConcept: { text: "x" }, dosage: many(size, (index) => ({ text: `${index}` })) }),
    ),
  "codes of a concept": (size) =>
    bundle(
      person(),
      statement({ medicationCodeableConcept: { coding: many(size, (index) => ({ system: "s", code: `${index}` })) } }),
    ),
  "versions of one resource": (size) =>
    bundle(person(), ...many(size, () => ({ resourceType: "Condition", id: "c", code: { text: "x" } }))),
};

describe("the time to read a Bundle with many", () => {
  test.each(Object.entries(SHAPES))("%s grows with their number, and not faster", (_, shape) => {
    expect(growth(shape, outcome, MAX_ELEMENTS / 4)).toBeLessThan(2);
  });
});

describe("a report", () => {
  test.each(Object.entries(SHAPES))("about %s is small, however many there are", (_, shape) => {
    expect(outcome(shape(10 * MAX_ELEMENTS - 2))).toBeLessThan(5_000_000);
  });
});
