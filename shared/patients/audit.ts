import { logInfo } from "../observability/logger.ts";
import { type Caller, SERVICE } from "../request/caller.ts";
import type { Consent } from "./consent.ts";

/**
 * Logs that a patient's record was read or created, or a conversation about the patient read or changed, on a caller's
 * behalf, whether or not the request then succeeds. The line contains the client, its tenant, the operation, the
 * patient's id and the request id, and nothing else but the consent that was recorded. Access by the service itself is
 * not logged.
 *
 * @param recorded what a request has made of the patient's consent; undefined if nothing
 */
export function auditAccess(caller: Caller, patientId: string, recorded?: Consent | "removed"): void {
  if (caller === SERVICE) {
    return;
  }
  const { client, tenant, operation } = caller;
  logInfo("audit", { client, tenant, operation, patientId, ...consentFields(recorded) });
}

function consentFields(recorded: Consent | "removed" | undefined) {
  return typeof recorded === "object"
    ? { consent: recorded.given ? "given" : "not-given", consentAt: recorded.at, consentVersion: recorded.version }
    : { consent: recorded };
}
