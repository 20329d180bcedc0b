import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { PATIENT_CHANGED, PATIENT_GONE } from "../patients/patient.ts";

// The endpoints of a patient that also concern the patient's threads.

/** The `error` of a 413 for an export. */
export const EXPORT_TOO_LARGE = {
  error: "Export is larger than 4 MB; list the patient's threads and their messages instead",
  code: "export-too-large",
};

const texts = { "not-found": [PATIENT_GONE] } as const;

const errors = (failure: string) => ({ shape: "generic", plain: ["not-found"], failure, texts }) as const;

export const listPatientThreadsEndpoint = {
  name: "list-patient-threads",
  method: "GET",
  path: "/patients/{id}/threads",
  status: 200,
  errors: errors("Failed to list threads"),
  p95Milliseconds: 1_500,
  rarelyCalled: true,
  database: { patients: ["GetItem"], threads: ["GetItem", "Query"] },
} as const satisfies Endpoint;

export const exportPatientEndpoint = {
  name: "export-patient",
  method: "GET",
  path: "/patients/{id}/export",
  status: 200,
  errors: errors("Failed to export patient"),
  p95Milliseconds: 3_000, // reads all messages
  rarelyCalled: true,
  lambda: { memory: 512 },
  database: { patients: ["GetItem"], threads: ["GetItem", "Query"] },
} as const satisfies Endpoint;

export const deletePatientEndpoint = {
  name: "delete-patient",
  method: "DELETE",
  path: "/patients/{id}",
  status: 200,
  errors: {
    ...errors("Failed to delete patient"),
    texts: { ...texts, "precondition-failed": [PATIENT_CHANGED, CONDITION_FAILED] },
  },
  p95Milliseconds: 5_000, // deletes all messages
  rarelyCalled: true,
  database: {
    patients: ["GetItem", "PutItem", "DeleteItem"],
    threads: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
    events: ["Query", "PutItem", "UpdateItem"],
  },
  erases: true,
} as const satisfies Endpoint;

/** These endpoints, for the OpenAPI document and the deployment. */
export const dataLifecycleEndpoints = [
  listPatientThreadsEndpoint,
  exportPatientEndpoint,
  deletePatientEndpoint,
] as const;
