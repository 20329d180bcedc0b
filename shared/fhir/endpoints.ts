import * as z from "zod/mini";
import { type Endpoint, invalid, success } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { IDEMPOTENCY_KEY_HEADER, KEY_REUSED } from "../idempotency/idempotency.ts";
import { clinicalEntry } from "../patients/clinical-entry.ts";
import { IF_MATCH, IF_NONE_MATCH, PATIENT_ID, SUMMARY_EXAMPLE } from "../patients/examples.ts";
import { PATIENT_CHANGED, PATIENT_GONE, PHONE_TAKEN } from "../patients/patient.ts";
import { createdPatient, patientRecord } from "../patients/patient-responses.ts";
import { BUNDLE_EXAMPLE, IMPORT_EXAMPLE, IMPORTED_EXAMPLE, REPLACED_EXAMPLE } from "./examples.ts";
import { FHIR_BYTES, fhirBody } from "./fhir-body.ts";
import { bundle, importReport } from "./fhir-responses.ts";

const shared = {
  function: "fhir",
  p95Milliseconds: 5_000, // a body of 5 MB
  rarelyCalled: true,
  lambda: { memory: 1024 },
} as const;

const INVALID = invalid(
  "Bundle.entry[3].resource.onsetDateTime",
  "must be a date, or a date and time with a time zone",
  "Failed to import patient",
);

const LIMITS = `A Bundle can be of any type, as long as it is about one patient, and has at most 5 MB; the gateway accepts 6 MB in which
every quote and line break counts twice, which is less for some. The response lists what was taken over and what was not.
With \`Accept: application/fhir+json\`, an error is an OperationOutcome. Faults have FHIR's paths.`;

export const importPatientEndpoint = {
  ...shared,
  name: "import-patient",
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "FHIR",
        summary: "Create a patient from FHIR",
        description: `Creates a patient from a Bundle or a Patient of FHIR R4. It reads Patient, AllergyIntolerance, Condition,
MedicationStatement, MedicationRequest and Medication, and of the observations the pregnancy status and the eGFR. A phone
number that cannot be stored is left out; one that another patient has is a 409, as in \`POST /patients\`.

${LIMITS}`,
        headers: [IDEMPOTENCY_KEY_HEADER],
        responseHeaders: ["etag", "idempotent-replayed"],
        bodyRequired: true,
        response: success("ImportPatientResult", { patient: createdPatient, ...importReport }),
        requests: { "A Bundle": IMPORT_EXAMPLE },
        success: { Created: IMPORTED_EXAMPLE },
        links: {
          getPatient: { description: "Get the patient's record", id: "$response.body#/patient/id" },
          replaceClinical: { description: "Replace what was imported", id: "$response.body#/patient/id" },
          exportFhir: { description: "Export the record as a Bundle", id: "$response.body#/patient/id" },
        },
        errors: { invalid: [INVALID], conflict: [{ ...PHONE_TAKEN, patient: SUMMARY_EXAMPLE }] },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "FHIR",
        summary: "Replace a patient's clinical list",
        description: `Replaces conditions, allergies and medications by those of a Bundle, whoever wrote the stored ones; \`removed\` lists those that
the Bundle does not have. Gender and date of birth are replaced if the Bundle has them. Name and phone number stay, and so
does everything else. Without a Patient, all resources have to be about the same one.

${LIMITS}`,
        id: PATIENT_ID,
        headers: [IF_MATCH],
        responseHeaders: ["etag"],
        bodyRequired: true,
        response: success("ReplaceClinicalResult", {
          patient: patientRecord,
          ...importReport,
          removed: z.array(clinicalEntry),
        }),
        requests: { "A Bundle": BUNDLE_EXAMPLE },
        success: { Replaced: REPLACED_EXAMPLE },
        links: {
          getPatient: { description: "Get the patient's record", id: "$response.body#/patient/id" },
          exportFhir: { description: "Export the record as a Bundle", id: "$response.body#/patient/id" },
        },
        errors: { invalid: [{ ...INVALID, error: "Failed to replace records" }] },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "FHIR",
        summary: "Export a patient as FHIR",
        description: `Returns the record as a Bundle of the type \`collection\`: the Patient, and a resource for each condition, allergy, medicine
and observation, with the codes that were imported and no others. Imported again, it gives the same record. Notes, refills,
height, weight, race, blood type, and an age without a date of birth are not in it; \`GET /patients/{id}/export\` has all.`,
        id: PATIENT_ID,
        headers: [IF_NONE_MATCH],
        responseHeaders: ["etag"],
        response: bundle,
        success: { "A Bundle": BUNDLE_EXAMPLE },
      }),
} as const satisfies Endpoint;

/** All endpoints of this resource, for the OpenAPI document and the deployment. */
export const fhirEndpoints = [importPatientEndpoint, replaceClinicalEndpoint, exportFhirEndpoint] as const;
