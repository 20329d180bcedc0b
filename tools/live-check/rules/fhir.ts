import { rulesOf } from "../rule.ts";
import { NOBODYS_ID } from "../synthetic-patient.ts";
import type { Target } from "../target.ts";

const NAME = "Live Check (imported)";
const ALLERGY = "synthetic allergy of the live check";

/** A record that belongs to nobody. */
const RECORD = {
  resourceType: "Bundle",
  type: "collection",
  entry: [
    { resource: { resourceType: "Patient", id: "live-check", name: [{ text: NAME }] } },
    {
      resource: {
        resourceType: "AllergyIntolerance",
        code: { text: ALLERGY },
        patient: { reference: "Patient/live-check" },
      },
    },
  ],
};
const TAKEN_OVER = { clinical: [{ kind: "allergy", text: ALLERGY }], ignored: [] };

async function importedId(target: Target): Promise<string> {
  const imported = { patient: { name: NAME, allergies: ALLERGY }, ...TAKEN_OVER };
  target.fixtures.importedId ??= (await target.expect("POST /patients/fhir", 201, imported, { body: RECORD })).body
    .patient.id as string;
  return target.fixtures.importedId;
}

/** The rules for records in FHIR. */
export const fhir = [
  ...rulesOf("POST /patients/fhir", {
    "with a Bundle: 201 with what was taken over": importedId,
    "with another resource, accepting FHIR: 400 with an OperationOutcome": (target) => {
      const body = { resourceType: "OperationOutcome", issue: [{ code: "invalid", expression: ["resourceType"] }] };
      const headers = { accept: "application/fhir+json" };
      return target.expect("POST /patients/fhir", 400, body, { body: { resourceType: "Condition" }, headers });
    },
  }),
  ...rulesOf("PUT /patients/{id}/fhir", {
    "with the same Bundle: 200 with the record": async (target) => {
      const body = { ...TAKEN_OVER, removed: [] };
      await target.expect(`PUT /patients/${await importedId(target)}/fhir`, 200, body, { body: RECORD });
    },
  }),
  ...rulesOf("GET /patients/{id}/fhir", {
    "of an imported patient: 200 with a Bundle": async (target) => {
      const types = (entry: { resource: { resourceType: string } }[]) =>
        entry.map(({ resource }) => resource.resourceType).join() === "Patient,AllergyIntolerance";
      const headers = { accept: "application/fhir+json" };
      const body = { resourceType: "Bundle", type: "collection", entry: types };
      await target.expect(`GET /patients/${await importedId(target)}/fhir`, 200, body, { headers });
    },
    "of nobody: 404": (target) =>
      target.expect(`GET /patients/${NOBODYS_ID}/fhir`, 404, { error: "Patient not found", success: undefined }),
  }),
];
