import type { Caller } from "../../shared/caller.ts";
import { tenantNamed } from "../../shared/tenant.ts";

/** The tenant of the caller below. */
export const TENANT = tenantNamed("test-tenant");

/** The caller for use cases and repositories that tests call in-process. */
export const CALLER: Caller = { client: "test-client", tenant: TENANT, operation: "test" };

/** The tenant of the local service's only client. */
export const LOCAL_TENANT = tenantNamed("local");
