import type { Caller } from "../caller.ts";
import { retries } from "../dynamo/retries.ts";
import { entityTag, matches } from "../entity-tag.ts";
import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { checkedPatient, phoneTaken } from "./checked-patient.ts";
import { mergePatch } from "./merge-patch.ts";
import { PATIENT_CHANGED, PATIENT_GONE, type PatientFields, toPatientRecord } from "./patient.ts";
import { isPatientId } from "./patient-id.ts";
import { readPatient, updatePatient } from "./patient-repository.ts";
import type { PatientRecord } from "./patient-responses.ts";
import type { UpdatePatientRequest } from "./patient-schemas.ts";

/** How often a patch is applied again because the record was changed in the meantime. */
const RETRIES = 20;

/**
 * `PATCH /patients/{id}`: applies a JSON merge patch to a patient's record. Without `If-Match`, a patch that meets a change
 * of the record is applied to the new one: no change of another field is lost.
 *
 * @param ifMatch the header's value
 * @param headers receives the response's own headers
 * @throws ServiceError `not-found`; `precondition-failed` when the record is not the one that `ifMatch` names; `invalid` and
 *   `conflict` as on creation
 */
export async function patchPatient(
  caller: Caller,
  id: string,
  patch: UpdatePatientRequest,
  { ifMatch, headers = {} }: { ifMatch?: string | undefined; headers?: Record<string, string> } = {},
): Promise<{ success: true; patient: PatientRecord }> {
  const { join_status: _, ...changes } = patch;
  const pause = retries({ attempts: RETRIES });
  for (;;) {
    const before = isPatientId(id) ? await readPatient(caller, id.toLowerCase()) : undefined;
    if (!before) {
      throw new ServiceError("not-found", PATIENT_GONE);
    }
    annotate({ patientId: before.id });
    if (ifMatch !== undefined && !matches(ifMatch, before.revision)) {
      throw new ServiceError("precondition-failed", PATIENT_CHANGED);
    }
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
    const after = checkedPatient(mergePatch(given, changes) as PatientFields, own, "Failed to update patient");
    const outcome = await updatePatient(caller, before, after);
    if (outcome === "updated") {
      headers.etag = entityTag(after.revision);
      return { success: true, patient: toPatientRecord(after) };
    }
    if (outcome !== "changed") {
      throw await phoneTaken(caller, outcome);
    }
    await pause(new Error("the record was changed in every attempt"));
  }
}
