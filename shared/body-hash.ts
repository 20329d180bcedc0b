import { hash } from "node:crypto";

/**
 * Identifies a request body, for idempotency keys. A validated body has its fields in schema order, so a request has
 * the same hash however it is serialized.
 */
export function bodyHash(body: unknown): string {
  return hash("sha256", JSON.stringify(body));
}

/** The `error` of a 422 for a key that was used with another body. */
export const KEY_REUSED = "Idempotency-Key was used with another request";
