import type { APIGatewayProxyEvent } from "aws-lambda";

/** What an `Idempotency-Key` must be, as JSON schema: printable ASCII characters without spaces. */
export const IDEMPOTENCY_KEY = { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" } as const;

/** A request's header, whatever its case: REST APIs hand headers over in the caller's spelling. */
export function header({ headers }: APIGatewayProxyEvent, name: string): string | undefined {
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      return headers[key];
    }
  }
  return undefined;
}
