import { type Caller, SERVICE } from "../caller.ts";
import { logInfo } from "../logger.ts";

/**
 * Writes the audit line of an access: that a patient's record was read or created on a caller's behalf, whatever happens
 * to the request after that. It contains who (the client), by which operation, whose (the patient's id) and in which
 * request, and nothing else. The service itself is no caller.
 */
export function auditAccess(caller: Caller, patientId: string): void {
  if (caller === SERVICE) {
    return;
  }
  const { client, operation } = caller;
  logInfo("audit", { client, operation, patientId });
}
