import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { entityTag, type Preconditions } from "../contract/preconditions.ts";
import { clinicalOf } from "../patients/clinical.ts";
import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import { toPatientRecord } from "../patients/patient.ts";
import { changePatient } from "../patients/update-patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import { type ClinicalType, TYPES_OF } from "./clinical-types.ts";
import type { fhirDocs } from "./docs.ts";
import { type FhirInput, importRecord } from "./import-record.ts";

const FAILURE = "Failed to replace records";

/**
 * `PUT /patients/{id}/fhir`: replaces the clinical list of a patient, and gender, date of birth and identifiers if the
 * Patient has them. Name and phone number stay.
 *
 * @param types those of which the bundle has everything there is. Entries of another type are added to the stored ones,
 *   which stay: what could not be read is not known to be gone
 * @throws ServiceError `invalid` as in {@link importRecord}; otherwise as in {@link changePatient}
 */
export async function replaceClinical(
  context: CallerContext,
  id: string,
  input: FhirInput,
  types: readonly ClinicalType[],
  preconditions: Preconditions,
): Promise<Result<ResponseOf<typeof fhirDocs, "replace-clinical">>> {
  const { person, ...report } = importRecord(input, FAILURE);
  const { gender, birth_date, identifiers } = person ?? {};
  let clinical = report.clinical;
  let removed: ClinicalEntry[] = [];
  const patient = await changePatient(context, id, preconditions, FAILURE, (before) => {
    const stored = clinicalOf(before);
    const kept = stored.filter(({ kind }) => !TYPES_OF[kind].every((type) => types.includes(type)));
    clinical = [...missingIn(report.clinical, kept), ...report.clinical];
    removed = missingIn(clinical, stored);
    const given = { ...(gender && { gender }), ...(birth_date && { birth_date }), ...(identifiers && { identifiers }) };
    return { ...before, ...given, clinical };
  });
  return {
    body: { success: true, patient: toPatientRecord(patient), ...report, clinical, removed },
    etag: entityTag(patient.revision),
  };
}

function missingIn(list: readonly ClinicalEntry[], before: readonly ClinicalEntry[]): ClinicalEntry[] {
  const nameOf = ({ kind, text }: ClinicalEntry) => `${kind} ${text.toLowerCase()}`;
  const kept = new Set(list.map(nameOf));
  return before.filter((entry) => !kept.has(nameOf(entry)));
}
