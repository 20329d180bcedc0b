/** The authenticated caller (`auth/authenticate.ts`), passed explicitly to everything that acts on its behalf. */
export interface Caller {
  /** The client's name in the secret that holds the API keys. */
  client: string;
  /** The name of the endpoint that was called. */
  operation: string;
}

/** The service itself, when no caller is involved: preconnecting during initialization, and the sweep. */
export const SERVICE: Caller = { client: "service", operation: "maintenance" };
