import type { ResponseOf } from "../contract/operation.ts";
import { ServiceError } from "../errors.ts";
import { readFeedback } from "../feedback/feedback-repository.ts";
import { patientAt } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import type { ExportedPatient } from "../patients/patient-responses.ts";
import type { CallerContext } from "../request/request-context.ts";
import { noteModels, readMessages } from "../threads/list-messages.ts";
import { toThreadInfo } from "../threads/thread.ts";
import type { dataLifecycleDocs } from "./docs.ts";
import { EXPORT_TOO_LARGE } from "./endpoints.ts";
import type { ExportedThread } from "./exported-thread.ts";
import { activeThreads } from "./list-patient-threads.ts";

/**
 * The maximum size of an export. A function's response is limited to 6 MB ("Lambda quotas"), and the platform's
 * envelope escapes the body once more.
 */
const EXPORT_BYTES = 4 * 1024 * 1024;

/**
 * `GET /patients/{id}/export`: returns everything stored about a patient. Unknown values are omitted, so that
 * `POST /patients` and `patientData` accept the record unchanged.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient; `too-large`
 */
export async function exportPatient(
  context: CallerContext,
  id: string,
): Promise<ResponseOf<typeof dataLifecycleDocs, "export-patient">> {
  const { tenant } = context.caller;
  const patient = await patientAt(context, id);
  const threads: ExportedThread[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(patient));
  for await (const { thread } of activeThreads(tenant, patient.id)) {
    const [page, feedback] = await Promise.all([
      readMessages(tenant, thread, Number.POSITIVE_INFINITY),
      readFeedback(tenant, thread),
    ]);
    if (page) {
      const messages = page.messages.map((message) => ({ ...message, feedback: feedback.get(message.id) }));
      const exported = { ...toThreadInfo(thread), metadata: thread.metadata ?? null, messages };
      threads.push(exported);
      bytes += Buffer.byteLength(JSON.stringify(exported));
    }
    if (bytes > EXPORT_BYTES) {
      throw new ServiceError("too-large", EXPORT_TOO_LARGE);
    }
  }
  noteModels(
    context,
    threads.flatMap(({ messages }) => messages),
  );
  return { success: true, exportedAt: new Date().toISOString(), patient: exportedPatient(patient), threads };
}

function exportedPatient({ revision: _revision, creationRecord: _record, ...patient }: Patient): ExportedPatient {
  return patient;
}
