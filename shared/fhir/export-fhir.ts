import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { entityTag } from "../contract/preconditions.ts";
import { patientAt } from "../patients/find-patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { fhirDocs } from "./docs.ts";
import { toBundle } from "./to-bundle.ts";

/**
 * `GET /patients/{id}/fhir`: returns a patient's record as a Bundle.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function exportFhir(
  context: CallerContext,
  id: string,
): Promise<Result<ResponseOf<typeof fhirDocs, "export-fhir">>> {
  const patient = await patientAt(context, id);
  return {
    body: toBundle(patient) as unknown as ResponseOf<typeof fhirDocs, "export-fhir">,
    etag: entityTag(patient.revision),
  };
}
