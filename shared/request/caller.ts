import { type Tenant, tenantNamed } from "../tenant.ts";
import type { Quotas } from "./quota-limits.ts";

/** The authenticated caller (`auth/authenticate.ts`), passed explicitly to all code that acts on its behalf. */
export interface Caller {
  /** The client's name in the secret with the API keys. */
  client: string;
  /** The owner of the data that the client can use. */
  tenant: Tenant;
  /** The client's limits, if it has any. */
  quotas?: Quotas | undefined;
  /** The name of the endpoint that was called. */
  operation: string;
}

/** The service itself, for calls without a caller, such as preconnecting during initialization. It owns no data. */
export const SERVICE: Caller = { client: "service", tenant: tenantNamed("service"), operation: "maintenance" };
