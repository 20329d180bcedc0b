import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { entityTag } from "../header.ts";
import { annotate } from "../logger.ts";
import { isPatientId, PATIENT_GONE, toPatientRecord } from "./patient.ts";
import { readPatient } from "./patient-repository.ts";
import type { PatientRecord } from "./patient-responses.ts";

/**
 * `GET /patients/{id}`: returns a patient's record.
 *
 * @param headers receives additional response headers
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function getPatient(
  caller: Caller,
  id: string,
  headers: Record<string, string> = {},
): Promise<{ success: true; patient: PatientRecord }> {
  const patient = isPatientId(id) ? await readPatient(caller, id.toLowerCase()) : undefined;
  if (!patient) {
    throw new ServiceError("not-found", PATIENT_GONE);
  }
  annotate({ patientId: patient.id });
  headers.etag = entityTag(patient.revision);
  return { success: true, patient: toPatientRecord(patient) };
}
