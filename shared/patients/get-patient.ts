import { entityTag } from "../contract/preconditions.ts";
import type { CallerContext } from "../request/request-context.ts";
import { patientAt } from "./find-patient.ts";
import { toPatientRecord } from "./patient.ts";
import type { PatientRecord } from "./patient-responses.ts";

/**
 * `GET /patients/{id}`: returns a patient's record.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function getPatient(
  context: CallerContext,
  id: string,
): Promise<{ success: true; patient: PatientRecord }> {
  const patient = await patientAt(context, id);
  context.responseHeaders.etag = entityTag(patient.revision);
  return { success: true, patient: toPatientRecord(patient) };
}
