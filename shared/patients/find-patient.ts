import { ServiceError } from "../errors.ts";
import type { Caller } from "../request/caller.ts";
import type { CallerContext } from "../request/request-context.ts";
import { isPatientId, PATIENT_GONE, PATIENT_UNKNOWN, type Patient } from "./patient.ts";
import { readPatient, readPatientByPhone } from "./patient-repository.ts";
import { normalizePhone } from "./phone.ts";

/**
 * Finds the patient that a chat or a new thread is about. For a request that names the patient by phone number,
 * the context notes the result of the lookup.
 *
 * @param by `patientId` takes precedence; `phone`, in any format, is used only without it
 * @returns the patient; undefined when neither was given or no patient has the phone number
 * @throws ServiceError `not-found` when `patientId` is malformed or matches no patient
 */
export async function findPatient(
  context: CallerContext,
  by: { patientId?: string | undefined; phone?: string | undefined },
): Promise<Patient | undefined> {
  const { caller } = context;
  if (by.patientId !== undefined) {
    const patient = await readIfId(caller, by.patientId);
    if (!patient) {
      throw new ServiceError("not-found", PATIENT_UNKNOWN);
    }
    return patient;
  }
  if (by.phone === undefined) {
    return undefined;
  }
  const state = await context.tenantState; // what a national number means, and whether consent is required
  const phone = normalizePhone(by.phone);
  const isFresh = state?.clinic.consentRequired !== undefined;
  const patient = phone ? await readPatientByPhone(caller, phone, isFresh) : undefined;
  context.phoneLookup = patient ? "found" : phone ? "not-found" : "invalid";
  return patient;
}

/**
 * Returns the patient with the id in a path.
 *
 * @throws ServiceError `not-found` when the id is malformed or matches no patient
 */
export async function patientAt({ caller, log }: CallerContext, id: string): Promise<Patient> {
  const patient = await readIfId(caller, id);
  if (!patient) {
    throw new ServiceError("not-found", PATIENT_GONE);
  }
  log.patientId = patient.id;
  return patient;
}

async function readIfId(caller: Caller, id: string): Promise<Patient | undefined> {
  return isPatientId(id) ? readPatient(caller, id.toLowerCase()) : undefined;
}
