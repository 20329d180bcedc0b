import * as z from "zod/mini";
import { type Endpoint, success } from "../contract/endpoint.ts";
import { nextPage } from "../contract/fields.ts";
import { PAGE_ERRORS, PAGE_PARAMETERS } from "../contract/page.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { EXPORTED_EXAMPLE, IF_MATCH, PATIENT_ID } from "../patients/examples.ts";
import { PATIENT_CHANGED, PATIENT_GONE } from "../patients/patient.ts";
import { exportedPatient } from "../patients/patient-responses.ts";
import { MESSAGES_EXAMPLE, THREAD_EXAMPLE } from "../threads/examples.ts";
import { threadInfo } from "../threads/thread-responses.ts";
import { exportedThread } from "./exported-thread.ts";

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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "List a patient's threads",
        description: `Returns the active threads about a patient, the newest first, on pages: those linked to the patient, and those that were
opened without a patient and have answered about this one (their \`patientId\` is null). For the next page, pass \`next\` as
\`before\`. Expired and deleted threads are not listed.`,
        id: PATIENT_ID,
        query: PAGE_PARAMETERS,
        response: success("ListPatientThreadsResult", {
          threads: z.array(threadInfo),
          ...nextPage,
        }),
        success: { "One thread": { success: true, threads: [THREAD_EXAMPLE], hasMore: false } },
        links: {
          listMessages: {
            description: "Read the messages of the newest thread",
            id: "$response.body#/threads/0/threadId",
          },
        },
        errors: { invalid: PAGE_ERRORS },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Export a patient",
        description: `Returns everything that is stored about a patient: the record, and the active threads with their metadata and messages.
Values that are not known are omitted, so \`POST /patients\` and \`patientData\` accept the record as it is. An export has at
most 4 MB; more is a 413.`,
        id: PATIENT_ID,
        responseHeaders: ["ai-disclosure"],
        response: success("ExportPatientResult", {
          exportedAt: z.iso.datetime(),
          patient: exportedPatient,
          threads: z.array(exportedThread),
        }),
        success: {
          "A patient with one thread": {
            success: true,
            exportedAt: "2026-03-01T09:10:00.000Z",
            patient: EXPORTED_EXAMPLE,
            threads: [{ ...THREAD_EXAMPLE, metadata: { source: "web" }, messages: MESSAGES_EXAMPLE }],
          },
        },
        errors: { "too-large": [EXPORT_TOO_LARGE] },
      }),
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
  document: process.env.BUNDLED
    ? undefined
    : () => ({
        tag: "Patients",
        summary: "Erase a patient",
        description: `Permanently deletes a patient's record, the lock on the phone number, idempotency records, and every thread about the patient
with all its messages. A chat on such a thread that is still waiting for its answer ends with a 404. If the call is
interrupted, a repetition or the next sweep completes the erasure. \`erased\` counts what this call deleted besides the
record; messages are counted as the threads' \`messageCount\` does.

With \`If-Match\` and the \`ETag\` of the record that you read, the patient is erased only if the record has not changed since;
otherwise the response is a 412, and nothing is erased.

Backups of the patients table still contain the record until they expire: nightly ones after the operator's retention
period, point-in-time recovery after 35 days. A restore leaves out the patients erased since: for this, the patient's ID,
and nothing else, is kept as long as the backups are. Threads have no backups.`,
        id: PATIENT_ID,
        headers: [IF_MATCH],
        response: success("DeletePatientResult", {
          message: z.literal("Patient deleted successfully"),
          erased: z.object({ threads: z.int().check(z.minimum(0)), messages: z.int().check(z.minimum(0)) }),
        }),
        success: {
          Erased: { success: true, message: "Patient deleted successfully", erased: { threads: 1, messages: 2 } },
        },
        links: {
          getPatient: { description: "Find that the patient is gone", id: "$request.path.id" },
        },
      }),
} as const satisfies Endpoint;

/** These endpoints, for the OpenAPI document and the deployment. */
export const dataLifecycleEndpoints = [
  listPatientThreadsEndpoint,
  exportPatientEndpoint,
  deletePatientEndpoint,
] as const;
