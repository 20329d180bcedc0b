import type { ResponseOf } from "../contract/operation.ts";
import type { Preconditions } from "../contract/preconditions.ts";
import { ServiceError } from "../errors.ts";
import { isPatientId, PATIENT_GONE } from "../patients/patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { dataLifecycleDocs } from "./docs.ts";
import { beginErasure, completeErasure } from "./erasure-repository.ts";

/**
 * `DELETE /patients/{id}`: erases a patient's record and all threads about the patient. A turn in flight on one of them
 * ends with a 404. The next call or the next sweep completes an interrupted erasure.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient; `precondition-failed` when the
 *   record does not meet a condition, and then nothing is erased
 */
export async function deletePatient(
  { caller, log }: CallerContext,
  id: string,
  preconditions: Preconditions = {},
): Promise<ResponseOf<typeof dataLifecycleDocs, "delete-patient">> {
  const patientId = id.toLowerCase();
  if (!isPatientId(id) || !(await beginErasure(caller, patientId, preconditions))) {
    throw new ServiceError("not-found", PATIENT_GONE);
  }
  log.patientId = patientId;
  const erased = await completeErasure(caller.tenant, patientId);
  return { success: true, message: "Patient deleted successfully", erased };
}
