/**
 * Who is calling, as authentication found it (`auth/authenticate.ts`). It is passed explicitly to whatever acts on the
 * caller's behalf.
 */
export interface Caller {
  /** The client's name in the secret that holds the API keys. */
  client: string;
  /** The name of the endpoint that was called. */
  operation: string;
}

/** The service itself, where it acts on nobody's behalf: preconnecting during initialization, and the sweep. */
export const SERVICE: Caller = { client: "service", operation: "maintenance" };
