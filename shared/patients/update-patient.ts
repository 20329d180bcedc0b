import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { checkWrite, entityTag, type Preconditions } from "../contract/preconditions.ts";
import { retries } from "../dynamo/retries.ts";
import type { CallerContext } from "../request/request-context.ts";
import { checkedPatient, phoneTaken, requireNotStoredBefore } from "./checked-patient.ts";
import { edited } from "./clinical.ts";
import type { patientDocs } from "./docs.ts";
import { patientAt } from "./find-patient.ts";
import { mergePatch } from "./merge-patch.ts";
import { PATIENT_CHANGED, type Patient, type PatientFields, toPatientRecord } from "./patient.ts";
import { updatePatient } from "./patient-repository.ts";
import type { UpdatePatientRequest } from "./patient-requests.ts";
import { normalizePhone } from "./phone.ts";

/** `PATCH /patients/{id}`: applies a JSON merge patch to a patient's record, as {@link changePatient}. */
export async function patchPatient(
  context: CallerContext,
  id: string,
  patch: UpdatePatientRequest,
  preconditions: Preconditions = {},
): Promise<Result<ResponseOf<typeof patientDocs, "update-patient">>> {
  const { join_status: _, ...changes } = patch;
  const failure = "Failed to update patient";
  const patient = await changePatient(context, id, preconditions, failure, (before) => patched(before, changes));
  return { body: { success: true, patient: toPatientRecord(patient) }, etag: entityTag(patient.revision) };
}

/**
 * Changes the fields of a patient that callers set. Without `If-Match`, a change that conflicts with another one is
 * reapplied to the new record, so no change to another field is lost.
 *
 * @param failure the `error` of a 400
 * @param change returns the new fields, with the phone number normalized; may be called several times
 * @returns the changed patient
 * @throws ServiceError `not-found`; `precondition-failed` when the record does not meet a condition; `invalid` and
 *   `conflict` as on creation
 */
export async function changePatient(
  context: CallerContext,
  id: string,
  preconditions: Preconditions,
  failure: string,
  change: (before: PatientFields) => PatientFields,
): Promise<Patient> {
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
    const after = checkedPatient(change(given), own, failure);
    if (after.phone_number !== before.phone_number) {
      await requireNotStoredBefore(context, after.phone_number, before.id);
    }
    const outcome = await updatePatient(context.caller, before, after);
    if (outcome.kind === "updated") {
      return after;
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
 * those of the clinical list in the list, and an age replaces the date of birth that it does not follow from. A phone
 * number that is sent back as it was read stays: without its plus, another country's might become somebody else's.
 */
function patched(before: PatientFields, changes: Omit<UpdatePatientRequest, "join_status">): PatientFields {
  const after = mergePatch(before, changes) as PatientFields;
  if (changes.phone_number && changes.phone_number !== before.phone_number) {
    after.phone_number = normalizePhone(changes.phone_number);
  }
  if (changes.age !== undefined && changes.birth_date === undefined && changes.age !== before.age) {
    delete after.birth_date;
  }
  if (changes.birth_date === null && changes.age === undefined) {
    delete after.age; // it followed from the date
  }
  return before.clinical ? { ...after, clinical: edited(before.clinical, changes) } : after;
}
