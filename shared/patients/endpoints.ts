import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { KEY_REUSED } from "../idempotency/idempotency.ts";
import { PATIENT_CHANGED, PATIENT_GONE } from "./patient.ts";
import { createPatientRequest, searchPatientsRequest, updatePatientRequest } from "./patient-requests.ts";

export const createPatientEndpoint = {
  name: "create-patient",
  profile: "first",
  method: "POST",
  path: "/patients",
  status: 201,
  errors: {
    shape: "generic",
    plain: ["not-found", "conflict"],
    invalid: "Failed to create patient",
    failure: "Failed to create patient",
    texts: { unprocessable: [KEY_REUSED] },
  },
  p95Milliseconds: 1_500,
  // The threads table contains the idempotency records.
  database: { patients: ["PutItem", "GetItem", "ConditionCheckItem"], threads: ["PutItem", "GetItem"] },
  body: createPatientRequest,
} as const satisfies Endpoint;

export const getPatientEndpoint = {
  name: "get-patient",
  method: "GET",
  path: "/patients/{id}",
  status: 200,
  errors: {
    shape: "generic",
    plain: ["not-found", "conflict"],
    failure: "Failed to fetch patient",
    texts: { "not-found": [PATIENT_GONE], "precondition-failed": [CONDITION_FAILED] },
  },
  p95Milliseconds: 1_500,
  database: { patients: ["GetItem"] },
} as const satisfies Endpoint;

export const updatePatientEndpoint = {
  name: "update-patient",
  profile: "first",
  method: "PATCH",
  path: "/patients/{id}",
  status: 200,
  errors: {
    shape: "generic",
    plain: ["not-found", "conflict"],
    invalid: "Failed to update patient",
    failure: "Failed to update patient",
    texts: { "not-found": [PATIENT_GONE], "precondition-failed": [PATIENT_CHANGED, CONDITION_FAILED] },
  },
  p95Milliseconds: 1_500,
  rarelyCalled: true,
  database: { patients: ["GetItem", "PutItem", "DeleteItem"] },
  body: updatePatientRequest,
  strictBody: true,
} as const satisfies Endpoint;

export const searchPatientsEndpoint = {
  name: "search-patients",
  profile: "first",
  method: "POST",
  path: "/patients/search",
  status: 200,
  errors: { shape: "generic", failure: "Failed to search patients" },
  p95Milliseconds: 1_500,
  database: { patients: ["GetItem"], patientsByPhone: true },
  body: searchPatientsRequest,
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const patientEndpoints = [
  createPatientEndpoint,
  getPatientEndpoint,
  updatePatientEndpoint,
  searchPatientsEndpoint,
] as const;
