import * as z from "zod/mini";
import { PREFER_HEADER } from "../contract/header.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../idempotency/idempotency.ts";
import type { patientEndpoints } from "./endpoints.ts";
import {
  CREATED_EXAMPLE,
  IF_MATCH,
  IF_NONE_MATCH,
  PATIENT_ID,
  PATIENT_REQUEST_EXAMPLE,
  RECORD_EXAMPLE,
  SUMMARY_EXAMPLE,
} from "./examples.ts";
import { MAX_FOUND } from "./lookups.ts";
import { PHONE_TAKEN } from "./patient.ts";
import { SEARCH_RULE } from "./patient-requests.ts";
import { createdPatient, patientRecord, patientSummary } from "./patient-responses.ts";
import { PHONE_RULE } from "./phone.ts";

/** The example of a 409 with the patient who has the number. */
const TAKEN = { ...PHONE_TAKEN, patient: SUMMARY_EXAMPLE };

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const patientDocs = {
  "create-patient": {
    tag: "Patients",
    summary: "Create a patient",
    description: `Creates a patient record. Phone numbers are unique, whatever their format: all non-digit characters are removed, and a
10-digit number gets the country code 1. A number with a plus and another country code than 1 keeps its
8 to 15 digits, and is looked up with the plus. Digits of any script count, and an extension is left out. Every field is
optional, but a patient needs a \`name\` or a \`phone_number\`.`,
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
  },

  "get-patient": {
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
  },

  "update-patient": {
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
  },

  "search-patients": {
    tag: "Patients",
    summary: "Find a patient",
    description: `Returns the patient with a phone number, in any format; or the patients with an identifier that was imported from FHIR, such as an
EHR's number; or those with a name and a date of birth. Each is compared as a whole, only a name also in other case and with
other spaces. Without a patient, the list is empty; it has at most ${MAX_FOUND}. Nothing is created. What is searched for is in the body
because URLs end up in logs. By identifier and by name, a patient who was stored a moment ago may not be found yet.`,
    headers: [PREFER_HEADER],
    bodyRequired: true,
    response: success("SearchPatientsResult", { patients: z.array(patientSummary) }),
    requests: {
      "A phone number": { phone_number: "+1 (555) 123-4567" },
      "An identifier": { identifier: { system: "urn:oid:1.2.36.146.595.217.0.1", value: "12345" } },
      "A name and a date of birth": { name: "Maria Lopez", birth_date: "1990-05-07" },
    },
    success: {
      Found: { success: true, patients: [SUMMARY_EXAMPLE] },
      "Not found": { success: true, patients: [] },
    },
    links: {
      getPatient: { description: "Get the patient's record", id: "$response.body#/patients/0/id" },
    },
    errors: {
      invalid: [
        invalid("phone_number", PHONE_RULE, `phone_number ${PHONE_RULE}`),
        invalid("phone_number", SEARCH_RULE, `phone_number ${SEARCH_RULE}`),
      ],
    },
  },
} satisfies Docs<typeof patientEndpoints>;
