import { describe, expect, test } from "@jest/globals";
import { importRecord } from "../../../shared/fhir/import-record.ts";
import { person } from "../../helpers/fhir/resources.ts";

const subject = { reference: "Patient/p" };

/** What a report says about one resource beside the patient: the paths below it, with the reasons. */
function reported(resource: object, ...others: object[]): string[] {
  const entry = [person(), resource, ...others].map((one) => ({ resource: one }));
  const body = { resourceType: "Bundle", type: "collection", entry };
  const { ignored } = importRecord({ body, type: undefined }, "no");
  return ignored.map(({ path, reason }) => `${path.replace("Bundle.entry[1].resource.", "")} ${reason}`);
}

const allergy = (more: object) => ({
  resourceType: "AllergyIntolerance",
  patient: subject,
  code: { text: "Egg" },
  ...more,
});
const statement = (more: object) => ({ resourceType: "MedicationStatement", subject, status: "active", ...more });

describe("a report names", () => {
  test("a criticality that FHIR does not have, and none that it has", () => {
    expect(reported(allergy({ criticality: "enormous" }))).toEqual([expect.stringMatching(/^criticality /)]);
    for (const criticality of ["low", "high", "unable-to-assess"]) {
      expect(reported(allergy({ criticality }))).toEqual([]);
    }
  });

  test("of an ingredient's two items the one that was not read", () => {
    const aspirin = { resourceType: "Medication", id: "i", code: { text: "Aspirin" } };
    const both = (item: object) => {
      const ingredient = [{ itemCodeableConcept: item, itemReference: { reference: "Medication/i" } }];
      const contained = [{ resourceType: "Medication", id: "m", ingredient }];
      return reported(statement({ contained, medicationReference: { reference: "#m" } }), aspirin);
    };
    const isSecond = "is a second item of the same ingredient";
    expect(both({ text: "Aspirin" })).toContainEqual(expect.stringMatching(`itemReference ${isSecond}`));
    expect(both({ coding: [] })).toContainEqual(expect.stringMatching(`itemCodeableConcept ${isSecond}`));
  });

  test.each(["Practitioner", "PractitionerRole", "Organization", "Location", "Encounter", "RelatedPerson", "Coverage"])(
    "no contained %s, which says only who and where",
    (resourceType) => {
      const contained = [{ resourceType, id: "x" }];
      expect(reported(statement({ medicationCodeableConcept: { text: "Aspirin" }, contained }))).toEqual([]);
    },
  );

  test("a contained resource that may say something of the medicine", () => {
    const contained = [{ resourceType: "Observation", id: "x" }];
    expect(reported(statement({ medicationCodeableConcept: { text: "Aspirin" }, contained }))).toHaveLength(1);
  });
});
