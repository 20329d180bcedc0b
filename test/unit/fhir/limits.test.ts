import { describe, expect, test } from "@jest/globals";
import { importRecord } from "../../../shared/fhir/import-record.ts";
import { MAX_IGNORED } from "../../../shared/fhir/report.ts";
import { bundle, many, person, statement } from "../../helpers/fhir/resources.ts";

type Resource = Record<string, unknown>;

const read = (body: Resource) => importRecord({ body, type: undefined }, "no");

describe("a report", () => {
  test("names so much, and counts the rest", () => {
    const refuted = { coding: [{ code: "refuted" }] };
    const condition = { resourceType: "Condition", code: { text: "x" }, verificationStatus: refuted };
    const more = 500;
    const report = read(bundle(person(), ...many(MAX_IGNORED + more, () => condition)));
    expect(report).toMatchObject({ moreIgnored: more });
    expect(report.ignored).toHaveLength(MAX_IGNORED);
    expect(read(bundle(person(), condition))).not.toHaveProperty("moreIgnored");
  });
});

/** Names that each object has, besides `__proto__`, which is no member of an object literal. */
const MEMBERS = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

describe.each(MEMBERS)("the code %s", (code) => {
  const concept = { coding: [{ system: "http://snomed.info/sct", code }] };
  const section = (one: object) => ({ resourceType: "Composition", section: [{ code: one, emptyReason: one }] });
  const timing = { repeat: { frequency: 1, period: 2, periodUnit: code }, code: { coding: concept.coding } };

  test("means nothing, wherever it stands", () => {
    const { clinical } = read(
      bundle(
        person({ gender: code, name: [{ text: "Pat", use: code }] }),
        { resourceType: "Condition", code: concept, clinicalStatus: concept, verificationStatus: concept },
        { resourceType: "AllergyIntolerance", code: { ...concept, text: "x" }, criticality: code },
        { resourceType: "Condition", code: { coding: [{ system: code, code }] } },
        statement({ medicationCodeableConcept: concept, status: code, dosage: [{ timing }] }),
        {
          ...statement({ medicationCodeableConcept: concept, status: code }),
          resourceType: "MedicationRequest",
          intent: code,
        },
        {
          resourceType: "Observation",
          status: code,
          code: { coding: [{ code: "82810-3" }] },
          valueCodeableConcept: concept,
        },
        section(concept),
      ),
    );
    expect(clinical.filter(({ statement, status }) => statement !== undefined || status === code)).toEqual([]);
    expect(JSON.stringify(clinical)).not.toContain("native code");
    expect(clinical.filter(({ kind }) => kind === "condition")).toHaveLength(2);
  });
});
