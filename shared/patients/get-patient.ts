import { ServiceError } from "../errors.ts";
import { entityTag } from "../header.ts";
import type { CallerContext } from "../request-context.ts";
import { isPatientId, PATIENT_GONE, toPatientRecord } from "./patient.ts";
import { readPatient } from "./patient-repository.ts";
import type { PatientRecord } from "./patient-responses.ts";

/**
 * `GET /patients/{id}`: returns a patient's record.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function getPatient(
  { caller, log, responseHeaders }: CallerContext,
  id: string,
): Promise<{ success: true; patient: PatientRecord }> {
  const patient = isPatientId(id) ? await readPatient(caller, id.toLowerCase()) : undefined;
  if (!patient) {
    throw new ServiceError("not-found", PATIENT_GONE);
  }
  log.patientId = patient.id;
  responseHeaders.etag = entityTag(patient.revision);
  return { success: true, patient: toPatientRecord(patient) };
}
