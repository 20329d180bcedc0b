import { logInfo } from "../observability/logger.ts";
import { type Caller, SERVICE } from "../request/caller.ts";

/**
 * Logs that a patient's record was read or created, or a conversation about the patient read or changed, on a caller's
 * behalf, whether or not the request then succeeds. The line contains the client, its tenant, the operation, the
 * patient's id and the request id, and nothing else. Access by the service itself is not logged.
 */
export function auditAccess(caller: Caller, patientId: string): void {
  if (caller === SERVICE) {
    return;
  }
  const { client, tenant, operation } = caller;
  logInfo("audit", { client, tenant, operation, patientId });
}
