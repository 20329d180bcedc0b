declare const brand: unique symbol;

/**
 * The owner of patients, threads, phone numbers and thread ids. Every key of the database begins with it
 * (`dynamo/keys.ts`), and every repository function takes it as its first argument, alone or as part of the caller.
 *
 * A plain string is not a tenant. Tenants come only from the authenticated caller (`auth/api-keys.ts`) and, for the
 * sweep, from a stored key. `test/structure/tenants.test.ts` checks that nothing else creates one.
 */
export type Tenant = string & { readonly [brand]: true };

/** For authentication and stored keys only. */
export function tenantNamed(name: string): Tenant {
  return name as Tenant;
}
