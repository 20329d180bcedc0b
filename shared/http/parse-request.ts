import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod/mini";
import type { BodyOf, Endpoint } from "../contract/endpoint.ts";
import { header } from "../contract/header.ts";
import { ServiceError } from "../errors.ts";
import type { RequestContext } from "../request/request-context.ts";
import { unknownFields } from "./unknown-fields.ts";
import { validationMessage } from "./validation-messages.ts";

/** The maximum size of a body, in bytes. */
export const BODY_BYTES = 256 * 1024;

/** The maximum number of error details: enough to correct a form, and a small response whatever was sent. */
export const MAX_DETAILS = 20;

z.config({ localeError: validationMessage });

/**
 * Reads the JSON body of a request, and drops unknown fields. JSON is accepted with any content type; a body that is
 * not JSON is a 415 if the content type says so, such as XML. A missing body counts as an empty object, which some
 * operations accept and the others reject with their own text.
 *
 * @param context receives the known fields that unknown ones were probably meant to be, if those are ignored
 * @throws ServiceError `too-large`, `unsupported-media-type`, or `invalid` with `details: [{path, message}]` and, if
 *   there are more than {@link MAX_DETAILS}, the number of the others in `moreDetails`. The error text is the specified
 *   one for the endpoint, or else that of the first invalid field
 */
export function jsonBody<E extends Endpoint & { body: z.ZodMiniType }>(
  endpoint: E,
  event: APIGatewayProxyEvent,
  context: Pick<RequestContext, "likelyMeant">,
): BodyOf<E> {
  const { body: schema, bodyBytes = BODY_BYTES, strictBody = false, openAiClients = false } = endpoint;
  const text = readText(event, bodyBytes);
  const body = text.trim() === "" && !strictBody ? {} : parseJson(endpoint, text, header(event, "content-type"));
  const result = z.safeParse(schema, body);
  const isStrict = strictBody || prefersStrict(event);
  // OpenAI's clients send many parameters that are ignored on purpose.
  const unknown = isStrict || !openAiClients ? unknownFields(schema, body, MAX_DETAILS) : [];
  if (result.success && !(isStrict && unknown.length > 0)) {
    context.likelyMeant = [...new Set(unknown.flatMap(({ meant }) => meant ?? []))];
    return result.data as BodyOf<E>;
  }
  const issues = (result.error?.issues ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
  const faults = [...issues, ...(isStrict ? unknown.map(({ path, message }) => ({ path, message })) : [])];
  const details = faults.slice(0, MAX_DETAILS);
  throw new ServiceError("invalid", endpoint.errors.invalid ?? firstFault(details), {
    details,
    ...(faults.length > MAX_DETAILS && { moreDetails: faults.length - MAX_DETAILS }),
  });
}

/** Whether the caller prefers errors to lenient handling (RFC 7240, section 4.4). */
function prefersStrict(event: APIGatewayProxyEvent): boolean {
  return /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(header(event, "prefer") ?? "");
}

function readText(event: APIGatewayProxyEvent, maxBytes: number): string {
  const body = event.body ?? "";
  // A text has at most as many UTF-16 units as UTF-8 bytes, and base64 is longer than its content.
  if (body.length <= 2 * maxBytes) {
    const text = event.isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
    if (Buffer.byteLength(text) <= maxBytes) {
      return text;
    }
  }
  throw new ServiceError("too-large", tooLarge(maxBytes));
}

/** The `error` of a 413. */
export function tooLarge(maxBytes: number): string {
  const kilobytes = maxBytes / 1024;
  return `Request body must not be larger than ${kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`}`;
}

/** Types that clients send with a JSON body although they were not told to: curl's and a browser's own. */
const MEANINGLESS_TYPES = /^(application\/x-www-form-urlencoded|text\/plain)\b/i;

/** The `error` of a 415. */
export const NOT_JSON = "Request body must be JSON, with Content-Type application/json";

function parseJson({ errors }: Endpoint, text: string, contentType = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (contentType.includes("/") && !/\bjson\b/i.test(contentType) && !MEANINGLESS_TYPES.test(contentType.trim())) {
      throw new ServiceError("unsupported-media-type", NOT_JSON);
    }
    const message = "Request body is not valid JSON";
    throw new ServiceError("invalid", errors.invalid ?? message, { details: [{ path: "", message }] });
  }
}

/** A specified text is used alone (`message is required`); other messages are prefixed with the field name. */
function firstFault(details: { path: string; message: string }[]): string {
  const [{ path, message } = { path: "", message: "is not valid" }] = details;
  if (path === "") {
    return /^(must|is) /.test(message) ? `Request body ${message}` : message;
  }
  return message.startsWith(path) ? message : `${path}: ${message}`;
}
