import type { ResponseOf, Result } from "../contract/endpoint.ts";
import { entityTag, type Preconditions } from "../contract/preconditions.ts";
import { clinicalOf } from "../patients/clinical.ts";
import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import { toPatientRecord } from "../patients/patient.ts";
import { changePatient } from "../patients/update-patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { replaceClinicalEndpoint } from "./endpoints.ts";
import { type FhirInput, importRecord } from "./import-record.ts";

const FAILURE = "Failed to replace records";

/**
 * `PUT /patients/{id}/fhir`: replaces the clinical list of a patient, and gender and date of birth if the Patient has
 * them. Name and phone number, by which the record is found, stay.
 *
 * @throws ServiceError `invalid` as in {@link importRecord}; otherwise as in {@link changePatient}
 */
export async function replaceClinical(
  context: CallerContext,
  id: string,
  input: FhirInput,
  preconditions: Preconditions,
): Promise<Result<ResponseOf<typeof replaceClinicalEndpoint>>> {
  const { person, clinical, ignored, others } = importRecord(input, FAILURE);
  const { gender, birth_date } = person ?? {};
  let removed: ClinicalEntry[] = [];
  const patient = await changePatient(context, id, preconditions, FAILURE, (before) => {
    removed = missingIn(clinical, clinicalOf(before));
    return { ...before, ...(gender && { gender }), ...(birth_date && { birth_date }), clinical };
  });
  const report = { clinical, removed, ignored, others };
  return { body: { success: true, patient: toPatientRecord(patient), ...report }, etag: entityTag(patient.revision) };
}

function missingIn(list: readonly ClinicalEntry[], before: readonly ClinicalEntry[]): ClinicalEntry[] {
  const nameOf = ({ kind, text }: ClinicalEntry) => `${kind} ${text.toLowerCase()}`;
  const kept = new Set(list.map(nameOf));
  return before.filter((entry) => !kept.has(nameOf(entry)));
}
