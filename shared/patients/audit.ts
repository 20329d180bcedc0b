import { currentAnnotations, currentRequestId, logInfo } from "../logger.ts";

/**
 * Writes the audit line of an access: that a patient's record was read or created for a caller, whatever becomes of the
 * request after that. It says who (the client), by which operation, whose (the patient's id) and in which request, and
 * nothing else. Outside of a request there is no caller, and no line.
 */
export function auditAccess(patientId: string): void {
  if (currentRequestId() === undefined) {
    return;
  }
  const { client, route: operation } = currentAnnotations();
  logInfo("audit", { client, operation, patientId });
}
