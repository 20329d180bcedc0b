import { randomUUID } from "node:crypto";
import { invalidField, ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { derived, type Patient, type PatientFields, PHONE_TAKEN, summarize } from "./patient.ts";
import { readPatient, readPatientByPhone, storedFields } from "./patient-repository.ts";
import { hasIdentity, IDENTITY_RULE, RECORD_BYTES } from "./patient-requests.ts";
import { storedBefore } from "./phone.ts";

/**
 * Creates a patient from the caller's fields, with defaults for missing ones, and the service's own fields. Creation
 * and updates have the same rules.
 *
 * @param own without `created_at`, the patient is created now
 * @param failure the `error` of a 400
 * @param given validated, with the phone number normalized
 * @throws ServiceError `invalid` when both name and phone number are missing, or the record is too large
 */
export function checkedPatient(
  given: PatientFields,
  own: Pick<Patient, "id" | "join_status" | "creationRecord"> & { created_at?: string },
  failure: string,
): Patient {
  const name = given.name?.trim() || undefined;
  if (!hasIdentity({ name, phone_number: given.phone_number })) {
    throw invalidField("name", IDENTITY_RULE, failure); // removed by a patch
  }
  const now = new Date().toISOString();
  const patient: Patient = {
    ...given,
    created_at: now,
    ...own,
    name,
    conditions: given.conditions ?? [],
    medications: given.medications ?? [],
    notes: given.notes ?? [],
    reminders_enabled: given.reminders_enabled ?? false,
    updated_at: now,
    revision: randomUUID(), // Node draws the random bytes of many UUIDs at once
    ...derived(given),
  };
  if (Buffer.byteLength(JSON.stringify(storedFields(patient))) > RECORD_BYTES) {
    throw invalidField("", `a record must not be larger than ${RECORD_BYTES / 1024} KB`, failure);
  }
  return patient;
}

/**
 * The error of a request for a phone number that another patient has.
 *
 * @returns undefined if that patient has been erased since: the number is free again
 */
export async function phoneTaken(
  { caller, log }: CallerContext,
  existingId: string,
): Promise<ServiceError | undefined> {
  const existing = await readPatient(caller, existingId);
  if (!existing) {
    return undefined;
  }
  log.patientId = existingId;
  const patient = summarize(existing);
  return new ServiceError("conflict", PHONE_TAKEN, { patient });
}

/**
 * Refuses a number that another patient has in the form in which it was stored before the clinic had a profile.
 *
 * @param phoneNumber normalized
 * @param own the id of the patient who gets it
 * @throws ServiceError `conflict`
 */
export async function requireNotStoredBefore(
  context: CallerContext,
  phoneNumber: string | undefined,
  own?: string,
): Promise<void> {
  const before = phoneNumber === undefined ? undefined : storedBefore(phoneNumber);
  const existing = before === undefined ? undefined : await readPatientByPhone(context.caller, before, true);
  const taken = existing && existing.id !== own ? await phoneTaken(context, existing.id) : undefined;
  if (taken) {
    throw taken;
  }
}
