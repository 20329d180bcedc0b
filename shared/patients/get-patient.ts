import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { entityTag } from "../contract/preconditions.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { patientDocs } from "./docs.ts";
import { patientAt } from "./find-patient.ts";
import { toPatientRecord } from "./patient.ts";

/**
 * `GET /patients/{id}`: returns a patient's record.
 *
 * @param withClinical whether to return the date of birth, the identifiers and the clinical list too
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function getPatient(
  context: CallerContext,
  id: string,
  withClinical = false,
): Promise<Result<ResponseOf<typeof patientDocs, "get-patient">>> {
  const patient = await patientAt(context, id);
  const { birth_date = null, identifiers = [], clinical = null } = patient;
  const record = { ...toPatientRecord(patient), ...(withClinical && { birth_date, identifiers, clinical }) };
  return { body: { success: true, patient: record }, etag: entityTag(patient.revision) };
}
