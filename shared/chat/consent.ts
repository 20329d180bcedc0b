import { ServiceError } from "../errors.ts";
import { CONSENT_REQUIRED, mayAskAbout } from "../patients/consent.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import { clinicFor } from "../profile/load-clinic.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Thread } from "../threads/thread.ts";

/**
 * Returns why a model must not be asked about a patient: the clinic requires consent, and there is none. While a
 * person has taken over, no model is asked, so the message reaches that person without it. A chat without a patient
 * needs none. On a thread that is bound to a patient, the conversation is about that patient, even if the request names
 * nobody.
 *
 * @param patient the one whose record the chat uses
 * @returns the 403; undefined if a model may be asked
 * @throws the database's errors
 */
export async function lackOfConsent(
  context: CallerContext,
  thread: Thread | undefined,
  patient: Patient | undefined,
): Promise<ServiceError | undefined> {
  const id = patient?.id ?? thread?.patientId ?? thread?.boundPatientId;
  const { consentRequired } = await clinicFor(context);
  if (consentRequired === undefined || thread?.hold || id === undefined) {
    return undefined;
  }
  const about = patient ?? (await readPatient(context.caller, id));
  return mayAskAbout(about, consentRequired) ? undefined : new ServiceError("forbidden", CONSENT_REQUIRED);
}
