import { hash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { header } from "../contract/header.ts";
import { invalidField } from "../errors.ts";
import type { Caller } from "../request/caller.ts";
import { IDEMPOTENCY_KEY } from "./idempotency.ts";

const PATTERN = new RegExp(IDEMPOTENCY_KEY.pattern);

/**
 * Returns the request's `Idempotency-Key`, hashed together with the client's name, because two clients may choose the
 * same key.
 *
 * @returns 64 hexadecimal digits; undefined without the header
 * @throws ServiceError `invalid` for a key that is empty, too long or not printable ASCII
 */
export function idempotencyKey(event: APIGatewayProxyEvent, { client }: Caller): string | undefined {
  const key = header(event, "idempotency-key");
  if (key === undefined) {
    return undefined;
  }
  if (key.length > IDEMPOTENCY_KEY.maxLength || !PATTERN.test(key)) {
    const message = "must have 1 to 255 printable ASCII characters";
    throw invalidField("Idempotency-Key", message, `Idempotency-Key ${message}`);
  }
  return hash("sha256", `${client}\n${key}`);
}
