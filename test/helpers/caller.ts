import type { Caller } from "../../shared/request/caller.ts";
import { type CallerContext, RequestContext } from "../../shared/request/request-context.ts";
import { tenantNamed } from "../../shared/tenant.ts";

/** The tenant of the caller below. */
export const TENANT = tenantNamed("test-tenant");

/** The caller for use cases and repositories that tests call in-process. */
export const CALLER: Caller = { client: "test-client", tenant: TENANT, operation: "test" };

/** The context of a new request by the caller. */
export function newContext(caller: Caller = CALLER, milliseconds = 29_000): CallerContext {
  return Object.assign(new RequestContext("a-request", caller.operation, Date.now() + milliseconds), { caller });
}

/** The tenant of the local service's only client. */
export const LOCAL_TENANT = tenantNamed("local");
