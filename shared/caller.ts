import type { Quotas } from "./quota-limits.ts";
import { type Tenant, tenantNamed } from "./tenant.ts";

/** The authenticated caller (`auth/authenticate.ts`), passed explicitly to everything that acts on its behalf. */
export interface Caller {
  /** The client's name in the secret that holds the API keys. */
  client: string;
  /** Whose data the client can use. */
  tenant: Tenant;
  /** The client's limits, if it has any. */
  quotas?: Quotas | undefined;
  /** The name of the endpoint that was called. */
  operation: string;
}

/** The service itself, when no caller is involved: preconnecting during initialization. It owns no data. */
export const SERVICE: Caller = { client: "service", tenant: tenantNamed("service"), operation: "maintenance" };
