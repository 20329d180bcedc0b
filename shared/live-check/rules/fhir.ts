import { isDeepStrictEqual } from "node:util";
import { exactly } from "../expected.ts";
import { rulesOf } from "../rule.ts";
import { DEFAULTS, FURTHER } from "../synthetic-patient.ts";
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
const TAKEN_OVER = { clinical: [{ kind: "allergy", text: ALLERGY }], ignored: [], others: exactly({}) };

/** The patient in the response to an import. */
const PATIENT = { ...DEFAULTS, name: NAME, allergies: ALLERGY };

/** The export of the record: the same resources, with the patient's own id. */
function bundleOf(id: string): object {
  const fullUrl = `urn:uuid:${id}`;
  const allergy = { resourceType: "AllergyIntolerance", code: { text: ALLERGY }, patient: { reference: fullUrl } };
  return {
    resourceType: "Bundle",
    type: "collection",
    entry: [{ fullUrl, resource: { resourceType: "Patient", id, name: [{ text: NAME }] } }, { resource: allergy }],
  };
}

async function importedId(target: Target): Promise<string> {
  const imported = { patient: PATIENT, ...TAKEN_OVER };
  target.fixtures.importedId ??= (await target.expect("POST /patients/fhir", 201, imported, { body: RECORD })).body
    .patient.id as string;
  return target.fixtures.importedId;
}

/** The rules for records in FHIR. */
export const fhir = [
  ...rulesOf("POST /patients/fhir", {
    "with a Bundle: 201 with what was taken over": importedId,
    "with another resource, accepting FHIR: 400 with an OperationOutcome": (target) => {
      const issue = {
        severity: "error",
        code: "invalid",
        details: { text: "Failed to import patient" },
        diagnostics: 'must be "Bundle" or "Patient"',
        expression: ["resourceType"],
      };
      const body = exactly({ resourceType: "OperationOutcome", issue: [issue] });
      const headers = { accept: "application/fhir+json" };
      return target.expect("POST /patients/fhir", 400, body, { body: { resourceType: "Condition" }, headers });
    },
  }),
  ...rulesOf("PUT /patients/{id}/fhir", {
    "with the same Bundle: 200 with the record": async (target) => {
      const body = { patient: { ...FURTHER, ...PATIENT }, ...TAKEN_OVER, removed: [] };
      await target.expect(`PUT /patients/${await importedId(target)}/fhir`, 200, body, { body: RECORD });
    },
  }),
  ...rulesOf("GET /patients/{id}/fhir", {
    "of an imported patient: 200 with a Bundle": async (target) => {
      const headers = { accept: "application/fhir+json" };
      const id = await importedId(target);
      const isExport = ({ timestamp, ...bundle }: { timestamp?: unknown }) =>
        typeof timestamp === "string" &&
        !Number.isNaN(Date.parse(timestamp)) &&
        isDeepStrictEqual(bundle, bundleOf(id));
      await target.expect(`GET /patients/${id}/fhir`, 200, isExport, { headers });
    },
  }),
];
