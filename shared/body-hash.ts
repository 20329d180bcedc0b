import { createHash } from "node:crypto";

/**
 * Identifies a request body, for idempotency keys. A validated body has its fields in schema order, so a request has
 * the same hash however it is serialized.
 */
export function bodyHash(body: unknown): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

/** The `error` of a 422 for a key that was used with another body. */
export const KEY_REUSED = "Idempotency-Key was used with another request";
