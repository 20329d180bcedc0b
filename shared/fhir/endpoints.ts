import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { KEY_REUSED } from "../idempotency/idempotency.ts";
import { PATIENT_CHANGED, PATIENT_GONE } from "../patients/patient.ts";
import { FHIR_BYTES, fhirBody } from "./fhir-body.ts";

const shared = {
  function: "fhir",
  p95Milliseconds: 5_000, // a body of 5 MB
  rarelyCalled: true,
  lambda: { memory: 1024 },
} as const;

export const importPatientEndpoint = {
  ...shared,
  name: "import-patient",
  profile: "first",
  method: "POST",
  path: "/patients/fhir",
  status: 201,
  fhir: "errors",
  errors: {
    shape: "generic",
    plain: ["conflict"],
    invalid: "Failed to import patient",
    failure: "Failed to import patient",
    texts: { unprocessable: [KEY_REUSED] },
  },
  // The threads table contains the idempotency records.
  database: { patients: ["PutItem", "GetItem", "ConditionCheckItem"], threads: ["PutItem", "GetItem"] },
  body: fhirBody,
  bodyBytes: FHIR_BYTES,
} as const satisfies Endpoint;

export const replaceClinicalEndpoint = {
  ...shared,
  name: "replace-clinical",
  method: "PUT",
  path: "/patients/{id}/fhir",
  status: 200,
  fhir: "errors",
  errors: {
    shape: "generic",
    plain: ["not-found"],
    invalid: "Failed to replace records",
    failure: "Failed to replace records",
    texts: { "not-found": [PATIENT_GONE], "precondition-failed": [PATIENT_CHANGED, CONDITION_FAILED] },
  },
  database: { patients: ["GetItem", "PutItem"] },
  body: fhirBody,
  bodyBytes: FHIR_BYTES,
} as const satisfies Endpoint;

export const exportFhirEndpoint = {
  ...shared,
  name: "export-fhir",
  method: "GET",
  path: "/patients/{id}/fhir",
  status: 200,
  fhir: "response",
  errors: {
    shape: "generic",
    plain: ["not-found"],
    failure: "Failed to export patient",
    texts: { "not-found": [PATIENT_GONE], "precondition-failed": [CONDITION_FAILED] },
  },
  database: { patients: ["GetItem"] },
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const fhirEndpoints = [importPatientEndpoint, replaceClinicalEndpoint, exportFhirEndpoint] as const;
