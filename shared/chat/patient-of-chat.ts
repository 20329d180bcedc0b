import { invalidField, type ServiceError } from "../errors.ts";
import { logWarning } from "../observability/logger.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Thread } from "../threads/thread.ts";
import type { ChatRequest } from "./chat-request.ts";

/**
 * Finds the patient that a chat is about: the one linked to the thread, or else the request's. The first chat about a
 * patient binds a thread without a linked patient to that one; only requests that name the patient use the record.
 *
 * @throws ServiceError `invalid` if the request names a patient other than the one the thread is linked or bound to,
 *   `not-found` for an unknown patientId; the database's errors
 */
export async function patientOf(
  context: CallerContext,
  request: ChatRequest,
  thread: Thread | undefined,
): Promise<Patient | undefined> {
  const linkedId = thread?.patientId ?? undefined;
  const ownId = linkedId ?? thread?.boundPatientId;
  if (ownId !== undefined && request.patientId !== undefined && request.patientId.toLowerCase() !== ownId) {
    throw otherPatient(request);
  }
  const [linked, named] = await Promise.all([
    linkedId === undefined ? undefined : readPatient(context.caller, linkedId),
    linkedId !== undefined && request.patientId !== undefined ? undefined : findPatient(context, request),
  ]);
  if (ownId !== undefined && named && named.id !== ownId) {
    throw otherPatient(request);
  }
  if (linkedId !== undefined && !linked) {
    logWarning("linked-patient-missing", { patientId: linkedId });
  }
  return linkedId === undefined ? named : linked;
}

/** The error of a request that names a patient other than the one its thread is linked or bound to. */
export function otherPatient({ patientId }: ChatRequest): ServiceError {
  const path = patientId === undefined ? "phone" : "patientId";
  const error = `${path} names another patient than the one this thread is linked to`;
  return invalidField(path, "must be the thread's own patient", error);
}
