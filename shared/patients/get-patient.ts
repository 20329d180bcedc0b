import type { ResponseOf, Result } from "../contract/endpoint.ts";
import { entityTag } from "../contract/preconditions.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { getPatientEndpoint } from "./endpoints.ts";
import { patientAt } from "./find-patient.ts";
import { toPatientRecord } from "./patient.ts";

/**
 * `GET /patients/{id}`: returns a patient's record.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function getPatient(
  context: CallerContext,
  id: string,
): Promise<Result<ResponseOf<typeof getPatientEndpoint>>> {
  const patient = await patientAt(context, id);
  return { body: { success: true, patient: toPatientRecord(patient) }, etag: entityTag(patient.revision) };
}
