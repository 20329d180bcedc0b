import { hash } from "node:crypto";

/** The JSON schema of an `Idempotency-Key`: printable ASCII characters without spaces. */
export const IDEMPOTENCY_KEY = { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" } as const;

/** The description of the header for operations that create a resource. */
export const IDEMPOTENCY_KEY_HEADER = {
  name: "Idempotency-Key",
  description:
    "1 to 255 printable ASCII characters, new for each call, with or without quotes. A repetition within 24 hours gets the stored response, with the header `idempotent-replayed: true`, until what was created is deleted",
  example: "5b0c8f0e-7a52-4a39-8c55-1f0b6f3f0f11",
  schema: IDEMPOTENCY_KEY,
};

/**
 * Identifies a request body, for idempotency keys. A request has the same hash in whatever order its keys are
 * serialized, in free-form objects too.
 */
export function bodyHash(body: unknown): string {
  return hash("sha256", JSON.stringify(body, inOrder) ?? "");
}

function inOrder(_key: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

/** The `error` of a 422 for a key that was used with another body. */
export const KEY_REUSED = { error: "Idempotency-Key was used with another request", code: "idempotency-key-reused" };

/** The `error` of a 409 for a key whose first request has not ended. */
export const KEY_IN_USE = {
  error: "A request with this Idempotency-Key is still being processed",
  code: "idempotency-key-in-use",
};
