import * as z from "zod/mini";
import { type Endpoint, invalid, success } from "../contract/endpoint.ts";
import { PREFER_HEADER } from "../contract/header.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { IDEMPOTENCY_KEY_HEADER, KEY_REUSED } from "../idempotency/idempotency.ts";
import {
  CREATED_EXAMPLE,
  IF_MATCH,
  IF_NONE_MATCH,
  PATIENT_ID,
  PATIENT_REQUEST_EXAMPLE,
  RECORD_EXAMPLE,
  SUMMARY_EXAMPLE,
} from "./examples.ts";
import { PATIENT_CHANGED, PATIENT_GONE, PHONE_TAKEN } from "./patient.ts";
import { createPatientRequest, searchPatientsRequest, updatePatientRequest } from "./patient-requests.ts";
import { createdPatient, patientRecord, patientSummary } from "./patient-responses.ts";
import { PHONE_RULE } from "./phone.ts";

/** The example of a 409 with the patient who has the number. */
const TAKEN = { ...PHONE_TAKEN, patient: SUMMARY_EXAMPLE };

export const createPatientEndpoint = {
  name: "create-patient",
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Create a patient",
        description: `Creates a patient record. Phone numbers are unique, whatever their format: all non-digit characters are removed, and a
10-digit number gets the country code 1. Every field is optional, but a patient needs a \`name\` or a \`phone_number\`, and a
phone number must have 10 or 11 digits.`,
        headers: [IDEMPOTENCY_KEY_HEADER, PREFER_HEADER],
        responseHeaders: ["etag", "idempotent-replayed"],
        bodyRequired: true,
        response: success("CreatePatientResult", { patient: createdPatient }),
        requests: {
          "A full record": PATIENT_REQUEST_EXAMPLE,
          "A phone number": { phone_number: "555.123.4567" },
        },
        success: { Created: { success: true, patient: CREATED_EXAMPLE } },
        links: {
          getPatient: { description: "Get the patient's record", id: "$response.body#/patient/id" },
          updatePatient: { description: "Correct the patient's record", id: "$response.body#/patient/id" },
          createThread: { description: "Open a thread that is linked to the patient: `patient.id` is its `patientId`" },
          chat: { description: "Ask something about the patient, without a thread: `patient.id` is its `patientId`" },
        },
        errors: {
          invalid: [invalid("phone_number", PHONE_RULE, "Failed to create patient")],
          conflict: [TAKEN],
        },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Get a patient",
        description:
          "Returns a patient record. Unknown values are null or omitted. The `ETag` header identifies this state of the record, for `If-Match` and `If-None-Match`.",
        id: PATIENT_ID,
        query: [
          {
            name: "include",
            description:
              "`clinical`: also returns the date of birth and, if the record was imported, its entries with their status",
            schema: { type: "string", enum: ["clinical"] },
          },
        ],
        headers: [IF_NONE_MATCH],
        responseHeaders: ["etag"],
        response: success("GetPatientResult", { patient: patientRecord }),
        success: { Found: { success: true, patient: RECORD_EXAMPLE } },
        links: {
          updatePatient: { description: "Correct the record", id: "$response.body#/patient/id" },
          exportPatient: {
            description: "Export everything stored about the patient",
            id: "$response.body#/patient/id",
          },
          listPatientThreads: { description: "List the patient's threads", id: "$response.body#/patient/id" },
          deletePatient: { description: "Erase the patient", id: "$response.body#/patient/id" },
          createThread: { description: "Open a thread that is linked to the patient: `patient.id` is its `patientId`" },
        },
        errors: { invalid: [invalid("include", "must be clinical")] },
      }),
} as const satisfies Endpoint;

export const updatePatientEndpoint = {
  name: "update-patient",
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Correct a patient's record",
        description: `Applies a JSON merge patch (RFC 7396, \`application/merge-patch+json\` or \`application/json\`) and returns the whole record:
a field that is null is removed, \`refill_info\` is merged, and any other value, lists included, replaces the stored one. The
rules are those of creation: a patch that would leave neither a \`name\` nor a \`phone_number\` is a 400. So is an unknown
field, always. In an imported record, a list keeps the entries that it still shows. A new phone number is moved in one step; one that another patient has is a 409.

With \`If-Match\` and the \`ETag\` of the record that you read, the patch is applied only if the record has not changed since;
otherwise the response is a 412. Without it, the patch is applied to the record as it is.`,
        id: PATIENT_ID,
        headers: [IF_MATCH],
        responseHeaders: ["etag"],
        bodyRequired: true,
        response: success("UpdatePatientResult", { patient: patientRecord }),
        requests: {
          "A corrected allergy": { allergies: "penicillin, latex" },
          "A field removed": { gender: null },
        },
        success: { Updated: { success: true, patient: { ...RECORD_EXAMPLE, allergies: "penicillin, latex" } } },
        links: {
          getPatient: { description: "Get the patient's record", id: "$response.body#/patient/id" },
        },
        errors: {
          invalid: [invalid("phone", "is not a known field; did you mean phone_number?", "Failed to update patient")],
          conflict: [TAKEN],
        },
      }),
} as const satisfies Endpoint;

export const searchPatientsEndpoint = {
  name: "search-patients",
  method: "POST",
  path: "/patients/search",
  status: 200,
  errors: { shape: "generic", failure: "Failed to search patients" },
  p95Milliseconds: 1_500,
  database: { patients: ["GetItem"], patientsByPhone: true },
  body: searchPatientsRequest,
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Find a patient by phone number",
        description:
          "Returns the patient with a phone number, in any format, or an empty list. It creates nothing. The number is in the body because URLs end up in logs.",
        headers: [PREFER_HEADER],
        bodyRequired: true,
        response: success("SearchPatientsResult", { patients: z.array(patientSummary) }),
        requests: { "A phone number": { phone_number: "+1 (555) 123-4567" } },
        success: {
          Found: { success: true, patients: [SUMMARY_EXAMPLE] },
          "Not found": { success: true, patients: [] },
        },
        links: {
          getPatient: { description: "Get the patient's record", id: "$response.body#/patients/0/id" },
        },
        errors: {
          invalid: [invalid("phone_number", PHONE_RULE, `phone_number ${PHONE_RULE}`)],
        },
      }),
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const patientEndpoints = [
  createPatientEndpoint,
  getPatientEndpoint,
  updatePatientEndpoint,
  searchPatientsEndpoint,
] as const;
