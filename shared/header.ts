import type { APIGatewayProxyEvent } from "aws-lambda";

/** The JSON schema of an `Idempotency-Key`: printable ASCII characters without spaces. */
export const IDEMPOTENCY_KEY = { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" } as const;

/** The description of the header for operations that create a resource. */
export const IDEMPOTENCY_KEY_HEADER = {
  name: "Idempotency-Key",
  description:
    "1 to 255 printable ASCII characters, new for each call. A repetition within 24 hours gets the stored response, with the header `idempotent-replayed: true`, until what was created is deleted",
  example: "5b0c8f0e-7a52-4a39-8c55-1f0b6f3f0f11",
  schema: IDEMPOTENCY_KEY,
};

/** The description of the header for operations with a body. */
export const PREFER_HEADER = {
  name: "Prefer",
  description:
    "`handling=strict`: a field that the operation does not know is a 400 that names the field that was probably meant, instead of being ignored (RFC 7240)",
  example: "handling=strict",
};

/** Sent with the replay of a response to an earlier request with the same idempotency key. */
export const IDEMPOTENT_REPLAYED = { "idempotent-replayed": "true" };

/**
 * Returns a request header, ignoring case, because REST APIs pass headers in the caller's spelling. The values of a repeated
 * header form a list (RFC 9110, section 5.3), of which `headers` has only the last; equal values count once.
 */
export function header({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: string): string | undefined {
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const values = multiValueHeaders?.[key];
      return values && values.length > 1 ? [...new Set(values)].join(", ") : headers[key];
    }
  }
  return undefined;
}
