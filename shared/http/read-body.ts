import { isUtf8 } from "node:buffer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { header } from "../contract/header.ts";
import { ServiceError } from "../errors.ts";

/** The `error` of a 415 for a body that is compressed. */
export const COMPRESSED = "Request body must not be compressed: send it without Content-Encoding";

/** The `error` of a 415 for a body whose text is not in UTF-8, by its own account. */
export const NOT_DECLARED_UTF8 = "Request body must be in UTF-8, and Content-Type must not name another charset";

/** What is wrong with a body that contains other bytes. */
const NOT_UTF8 =
  "Request body is not valid UTF-8: it contains bytes that are not, or the character U+FFFD, which must be written as \\ufffd";

/** Stands for bytes that could not be read. */
const REPLACEMENT = "\ufffd";

const BYTE_ORDER_MARK = "\ufeff";

/**
 * Returns the text of a request's body, without a byte order mark.
 *
 * The gateway has no binary media types, so it passes a body as text, in which each invalid byte has become U+FFFD
 * ("Binary media types for REST APIs": by default, only UTF-8 text is supported). Afterward, nothing tells these from a
 * character that was sent, and a name with one is another name: "p\ufffdnicilline" is no allergy to penicillin. So that
 * character is refused; in JSON, there is an escape for it.
 *
 * @param maxBytes the maximum size of the body
 * @param invalid the error of a body that is not valid UTF-8
 * @throws ServiceError `unsupported-media-type` for a body that is compressed, or declares another charset;
 *   `too-large`; or what `invalid` returns
 */
export function readBody(
  event: APIGatewayProxyEvent,
  maxBytes: number,
  invalid: (message: string) => ServiceError,
): string {
  const body = event.body ?? "";
  if (body !== "") {
    checkDeclarations(event);
  }
  // A text has at most as many UTF-16 units as UTF-8 bytes, and base64 is longer than its content.
  if (body.length > 2 * maxBytes) {
    throw new ServiceError("too-large", tooLarge(maxBytes));
  }
  const bytes = event.isBase64Encoded ? Buffer.from(body, "base64") : undefined;
  const text = bytes?.toString() ?? body;
  if ((bytes?.length ?? Buffer.byteLength(text)) > maxBytes) {
    throw new ServiceError("too-large", tooLarge(maxBytes));
  }
  if (bytes ? !isUtf8(bytes) : text.includes(REPLACEMENT)) {
    throw invalid(NOT_UTF8);
  }
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The `error` of a 413. */
export function tooLarge(maxBytes: number): string {
  const kilobytes = maxBytes / 1024;
  return `Request body must not be larger than ${kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`}`;
}

const CHARSET = /;\s*charset\s*=\s*(["']?)([^"';,]*)\1/gi;

function checkDeclarations(event: APIGatewayProxyEvent): void {
  const encodings = (header(event, "content-encoding") ?? "").toLowerCase().split(",");
  if (encodings.some((encoding) => !["", "identity"].includes(encoding.trim()))) {
    throw new ServiceError("unsupported-media-type", COMPRESSED);
  }
  for (const [, , charset = ""] of (header(event, "content-type") ?? "").matchAll(CHARSET)) {
    if (!["", "utf-8", "utf8"].includes(charset.trim().toLowerCase())) {
      throw new ServiceError("unsupported-media-type", NOT_DECLARED_UTF8);
    }
  }
}
