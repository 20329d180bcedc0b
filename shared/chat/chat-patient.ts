import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { logWarning } from "../logger.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import type { Thread } from "../threads/thread.ts";
import type { ChatRequest } from "./chat-schemas.ts";

/**
 * The patient a chat is about: the thread's, or else the request's. The two may not differ.
 *
 * @throws ServiceError `invalid` when they do, `not-found` for an unknown patientId; the database's errors
 */
export async function patientOf(
  caller: Caller,
  request: ChatRequest,
  thread: Thread | undefined,
): Promise<Patient | undefined> {
  const linkedId = thread?.patientId ?? undefined;
  if (linkedId === undefined) {
    return findPatient(caller, request);
  }
  if (request.patientId !== undefined && request.patientId.toLowerCase() !== linkedId) {
    throw otherPatient("patientId");
  }
  const [linked, named] = await Promise.all([
    readPatient(caller, linkedId),
    request.patientId === undefined ? findPatient(caller, { phone: request.phone }) : undefined,
  ]);
  if (named && named.id !== linkedId) {
    throw otherPatient("phone");
  }
  if (!linked) {
    logWarning("linked-patient-missing", { patientId: linkedId });
  }
  return linked;
}

function otherPatient(path: string): ServiceError {
  const message = `${path} names another patient than the one this thread is linked to`;
  return new ServiceError("invalid", message, { details: [{ path, message: "must be the thread's own patient" }] });
}
