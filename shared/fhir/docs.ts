import * as z from "zod/mini";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../idempotency/idempotency.ts";
import { clinicalEntry } from "../patients/clinical-entry.ts";
import { IF_MATCH, IF_NONE_MATCH, PATIENT_ID, SUMMARY_EXAMPLE } from "../patients/examples.ts";
import { PHONE_TAKEN } from "../patients/patient.ts";
import { createdPatient, patientRecord } from "../patients/patient-responses.ts";
import { CLINICAL_TYPES } from "./clinical-types.ts";
import type { fhirEndpoints } from "./endpoints.ts";
import { BUNDLE_EXAMPLE, IMPORT_EXAMPLE, IMPORTED_EXAMPLE, REPLACED_EXAMPLE } from "./examples.ts";
import { bundle, importReport } from "./fhir-responses.ts";

const INVALID = invalid(
  "Bundle.entry[3].resource.onsetDateTime",
  "must be a date, or a date and time with a time zone",
  "Failed to import patient",
);

const LIMITS = `A Bundle can be of any type, as long as it is about one patient, and has at most 5 MB; the gateway accepts 6 MB in which
every quote and line break counts twice, which is less for some. The response lists what was taken over and what was not.
With \`Accept: application/fhir+json\`, an error is an OperationOutcome. Faults have FHIR's paths.`;

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const fhirDocs = {
  "import-patient": {
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
  },

  "replace-clinical": {
    tag: "FHIR",
    summary: "Replace a patient's clinical list",
    description: `Replaces conditions, allergies and medications by those of a Bundle, whoever wrote the stored ones; \`removed\` lists those that
the Bundle does not have. Gender and date of birth are replaced if the Bundle has them. Name and phone number stay, and so
does everything else. Without a Patient, all resources have to be about the same one.

If the Bundle does not have everything, because a server has refused a type of resources, for example, name in \`types\` those
that it speaks for: the stored entries of the others stay.

${LIMITS}`,
    id: PATIENT_ID,
    query: [
      {
        name: "types",
        description:
          "The types of resources, separated by commas, of which the Bundle has everything there is; by default all that are read. Medications are replaced only if both of their types are named",
        schema: {
          type: "string",
          pattern: `^(${CLINICAL_TYPES.join("|")})(,(${CLINICAL_TYPES.join("|")}))*$`,
        },
      },
    ],
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
  },

  "export-fhir": {
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
  },
} satisfies Docs<typeof fhirEndpoints>;
