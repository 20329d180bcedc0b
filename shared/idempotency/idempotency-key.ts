import { hash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { header } from "../contract/header.ts";
import { invalidField } from "../errors.ts";
import type { Caller } from "../request/caller.ts";
import { IDEMPOTENCY_KEY } from "./idempotency.ts";

const PATTERN = new RegExp(IDEMPOTENCY_KEY.pattern);

/**
 * Returns the request's `Idempotency-Key`, with or without the quotes of the standard, hashed together with the client's name, because two clients may choose the
 * same key.
 *
 * @returns 64 hexadecimal digits; undefined without the header
 * @throws ServiceError `invalid` for a key that is empty, too long or not printable ASCII
 */
export function idempotencyKey(event: APIGatewayProxyEvent, caller: Caller): string | undefined {
  const sent = header(event, "idempotency-key")?.trim();
  return sent === undefined ? undefined : hashOfKey("Idempotency-Key", unquoted(sent), caller);
}

/**
 * Returns a key hashed as in {@link idempotencyKey}.
 *
 * @param place where the request has it, for the error
 * @throws ServiceError `invalid`
 */
export function hashOfKey(place: string, key: string, { client }: Caller): string {
  if (key.length > IDEMPOTENCY_KEY.maxLength || !PATTERN.test(key)) {
    const message = "must have 1 to 255 printable ASCII characters";
    throw invalidField(place, message, `${place} ${message}`);
  }
  return hash("sha256", `${client}\n${key}`);
}

/**
 * The draft standard has a string of structured headers, in quotes (draft-ietf-httpapi-idempotency-key-header-07, section
 * 2.1; RFC 9651, section 3.3.3); most clients send the bare key. Both are the same key, since a library in between may
 * add the quotes.
 */
function unquoted(sent: string): string {
  return /^"(?:[^"\\]|\\["\\])*"$/.test(sent) ? sent.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : sent;
}
