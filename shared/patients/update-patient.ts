import type { ResponseOf, Result } from "../contract/endpoint.ts";
import { checkWrite, entityTag, type Preconditions } from "../contract/preconditions.ts";
import { retries } from "../dynamo/retries.ts";
import type { CallerContext } from "../request/request-context.ts";
import { checkedPatient, phoneTaken } from "./checked-patient.ts";
import { edited } from "./clinical.ts";
import type { updatePatientEndpoint } from "./endpoints.ts";
import { patientAt } from "./find-patient.ts";
import { mergePatch } from "./merge-patch.ts";
import { PATIENT_CHANGED, type PatientFields, toPatientRecord } from "./patient.ts";
import { updatePatient } from "./patient-repository.ts";
import type { UpdatePatientRequest } from "./patient-requests.ts";

/**
 * `PATCH /patients/{id}`: applies a JSON merge patch to a patient's record. Without `If-Match`, a patch that conflicts
 * with another change is reapplied to the new record, so no change to another field is lost.
 *
 * @throws ServiceError `not-found`; `precondition-failed` when the record does not meet a condition; `invalid` and
 *   `conflict` as on creation
 */
export async function patchPatient(
  context: CallerContext,
  id: string,
  patch: UpdatePatientRequest,
  preconditions: Preconditions = {},
): Promise<Result<ResponseOf<typeof updatePatientEndpoint>>> {
  const { join_status: _, ...changes } = patch;
  const pause = retries();
  for (;;) {
    const before = await patientAt(context, id);
    checkWrite(preconditions, entityTag(before.revision), PATIENT_CHANGED);
    const {
      id: patientId,
      join_status,
      created_at,
      updated_at: _at,
      revision: _revision,
      creationRecord,
      ...given
    } = before;
    const own = { id: patientId, join_status, created_at, creationRecord };
    const after = checkedPatient(patched(given, changes), own, "Failed to update patient");
    const outcome = await updatePatient(context.caller, before, after);
    if (outcome.kind === "updated") {
      return { body: { success: true, patient: toPatientRecord(after) }, etag: entityTag(after.revision) };
    }
    if (outcome.kind === "phone-taken") {
      const taken = await phoneTaken(context, outcome.patientId);
      if (taken) {
        throw taken;
      }
    }
    await pause(new Error("the record, or the patient with the phone number, was changed in every attempt"));
  }
}

/**
 * Applies a patch to the fields that callers set. A field that follows from others is changed where it comes from:
 * those of the clinical list in the list, and an age replaces the date of birth that it does not follow from.
 */
function patched(before: PatientFields, changes: Omit<UpdatePatientRequest, "join_status">): PatientFields {
  const after = mergePatch(before, changes) as PatientFields;
  if (changes.age !== undefined && changes.birth_date === undefined && changes.age !== before.age) {
    delete after.birth_date;
  }
  return before.clinical ? { ...after, clinical: edited(before.clinical, changes) } : after;
}
