import * as z from "zod/mini";
import { nextPage } from "../contract/fields.ts";
import { type Docs, success } from "../contract/operation.ts";
import { PAGE_ERRORS, PAGE_PARAMETERS } from "../contract/page.ts";
import { EXPORTED_EXAMPLE, IF_MATCH, PATIENT_ID } from "../patients/examples.ts";
import { exportedPatient } from "../patients/patient-responses.ts";
import { MESSAGES_EXAMPLE, THREAD_EXAMPLE } from "../threads/examples.ts";
import { threadInfo } from "../threads/thread-responses.ts";
import { type dataLifecycleEndpoints, EXPORT_TOO_LARGE } from "./endpoints.ts";
import { exportedThread } from "./exported-thread.ts";

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const dataLifecycleDocs = {
  "list-patient-threads": {
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
  },

  "export-patient": {
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
  },

  "delete-patient": {
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
  },
} satisfies Docs<typeof dataLifecycleEndpoints>;
