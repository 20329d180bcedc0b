import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { invalidField } from "../errors.ts";
import { createFrom } from "../patients/create-patient.ts";
import { hasIdentity } from "../patients/patient-requests.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { fhirDocs } from "./docs.ts";
import { type FhirInput, importRecord } from "./import-record.ts";

const FAILURE = "Failed to import patient";

/**
 * `POST /patients/fhir`: creates a patient from a Bundle or a Patient. The report follows from the body, so it is not
 * stored for a repeated request.
 *
 * @throws ServiceError `invalid` as in {@link importRecord}, and without a Patient who has a name or a phone number
 *   that can be stored; otherwise as in {@link createFrom}
 */
export async function createFromFhir(
  context: CallerContext,
  input: FhirInput,
  idempotencyKey: string | undefined,
): Promise<Result<ResponseOf<typeof fhirDocs, "import-patient">>> {
  const { person, ...report } = importRecord(input, FAILURE);
  if (!person || !hasIdentity(person)) {
    const message = person ? "must have a name, or a phone number that can be stored" : "must contain a Patient";
    throw invalidField(person?.path ?? "Bundle.entry", message, FAILURE);
  }
  const { path: _, ...identity } = person;
  const created = await createFrom(context, { ...identity, clinical: report.clinical }, input.body, idempotencyKey);
  return { ...created, body: { ...created.body, ...report } };
}
