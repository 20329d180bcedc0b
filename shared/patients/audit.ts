import { logInfo } from "../observability/logger.ts";
import { type Caller, SERVICE } from "../request/caller.ts";
import type { Consent } from "./consent.ts";

/**
 * Logs that a patient's record was read or created, or a conversation about the patient read or changed, on a caller's
 * behalf, whether or not the request then succeeds. The line contains the client, its tenant, the operation, the
 * patient's id and the request id, and nothing else but
 * the consent that it has recorded. Access by the service itself is not logged.
 */
export function auditAccess(caller: Caller, patientId: string, recorded?: Consent | "removed"): void {
  if (caller === SERVICE) {
    return;
  }
  const { client, tenant, operation } = caller;
  logInfo("audit", { client, tenant, operation, patientId, ...consentFields(recorded) });
}

function consentFields(recorded: Consent | "removed" | undefined) {
  if (recorded === undefined || recorded === "removed") {
    return { consent: recorded };
  }
  const { given, at, version } = recorded;
  return { consent: given ? "given" : "not-given", consentAt: at, consentVersion: version };
}
