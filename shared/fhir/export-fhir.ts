import type { ResponseOf, Result } from "../contract/endpoint.ts";
import { entityTag } from "../contract/preconditions.ts";
import { patientAt } from "../patients/find-patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { exportFhirEndpoint } from "./endpoints.ts";
import { toBundle } from "./to-bundle.ts";

/**
 * `GET /patients/{id}/fhir`: returns a patient's record as a Bundle.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function exportFhir(
  context: CallerContext,
  id: string,
): Promise<Result<ResponseOf<typeof exportFhirEndpoint>>> {
  const patient = await patientAt(context, id);
  return {
    body: toBundle(patient) as unknown as ResponseOf<typeof exportFhirEndpoint>,
    etag: entityTag(patient.revision),
  };
}
