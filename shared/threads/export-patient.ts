import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import type { Patient } from "../patients/patient.ts";
import type { ExportedPatient } from "../patients/patient-responses.ts";
import { EXPORT_BYTES, EXPORT_TOO_LARGE } from "./export-limit.ts";
import { readMessages } from "./list-messages.ts";
import { activeThreads, findPatientOf } from "./list-patient-threads.ts";
import { toThreadInfo } from "./thread.ts";
import type { ExportedThread } from "./thread-responses.ts";

/**
 * `GET /patients/{id}/export`: returns everything stored about a patient. Unknown values are omitted, so that
 * `POST /patients` and `patientData` accept the record unchanged.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient; `too-large`
 */
export async function exportPatient(
  caller: Caller,
  id: string,
): Promise<{ success: true; exportedAt: string; patient: ExportedPatient; threads: ExportedThread[] }> {
  const patient = await findPatientOf(caller, id);
  const threads: ExportedThread[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(patient));
  for await (const { thread } of activeThreads(caller.tenant, patient.id)) {
    const page = await readMessages(caller.tenant, thread, Number.POSITIVE_INFINITY);
    if (page) {
      const exported = { ...toThreadInfo(thread), metadata: thread.metadata ?? null, messages: page.messages };
      threads.push(exported);
      bytes += Buffer.byteLength(JSON.stringify(exported));
    }
    if (bytes > EXPORT_BYTES) {
      throw new ServiceError("too-large", EXPORT_TOO_LARGE);
    }
  }
  return { success: true, exportedAt: new Date().toISOString(), patient: exportedPatient(patient), threads };
}

function exportedPatient({ revision: _revision, creationRecord: _record, ...patient }: Patient): ExportedPatient {
  return patient;
}
