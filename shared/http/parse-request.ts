import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod/mini";
import type { BodyOf, Endpoint } from "../contract/endpoint.ts";
import { header } from "../contract/header.ts";
import { ServiceError } from "../errors.ts";
import type { RequestContext } from "../request/request-context.ts";
import { readBody } from "./read-body.ts";
import { mayHaveInexactNumbers, scanJson } from "./scan-json.ts";
import { isFreeForm, type UnknownField, unknownFields } from "./unknown-fields.ts";
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
 * @param context receives the known fields that unknown ones were probably meant to be, if those are ignored; for
 *   OpenAI's clients, which send many that are ignored on purpose, also their names
 * @throws ServiceError `too-large`, `unsupported-media-type`, or `invalid` with `details: [{path, message}]` and, if
 *   there are more than {@link MAX_DETAILS}, the number of the others in `moreDetails`. The error text is the specified
 *   one for the endpoint, or else that of the first invalid field
 */
export function jsonBody<E extends Endpoint & { body: z.ZodMiniType }>(
  endpoint: E,
  event: APIGatewayProxyEvent,
  context: Pick<RequestContext, "likelyMeant" | "ignored">,
): BodyOf<E> {
  const { body: schema, bodyBytes = BODY_BYTES, strictBody = false } = endpoint;
  const text = readBody(event, bodyBytes, (message) => unreadable(endpoint, message));
  const body = text.trim() === "" && !strictBody ? {} : parseJson(endpoint, text, header(event, "content-type"));
  const result = z.safeParse(schema, body);
  const isStrict = strictBody || prefersStrict(event);
  const unknown = unknownFields(schema, body, MAX_DETAILS);
  const lost = lostData(endpoint, text, isStrict);
  if (result.success && lost.length === 0 && !(isStrict && unknown.length > 0)) {
    noteIgnored(endpoint, unknown, context);
    return result.data as BodyOf<E>;
  }
  const issues = (result.error?.issues ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
  const strict = isStrict ? unknown.map(({ path, message }) => ({ path, message })) : [];
  const faults = [...issues, ...lost, ...strict];
  const details = faults.slice(0, MAX_DETAILS);
  throw new ServiceError("invalid", endpoint.errors.invalid ?? firstFault(details), {
    details,
    ...(faults.length > MAX_DETAILS && { moreDetails: faults.length - MAX_DETAILS }),
  });
}

/** A name that can stand in a header and looks like one: it comes from the caller. */
const PLAIN_NAME = /^[\w.]+$/;

/** Notes which fields of a body were ignored, and what they were probably meant to be. */
function noteIgnored(
  { openAiClients, ignored = [] }: Endpoint,
  unknown: readonly UnknownField[],
  context: Pick<RequestContext, "likelyMeant" | "ignored">,
): void {
  const withoutPlaces = ({ path }: UnknownField) => path.replaceAll(/\.\d+(?=\.)/g, "");
  const misspelled = unknown.filter((field) => !ignored.includes(withoutPlaces(field)));
  context.likelyMeant = [...new Set(misspelled.flatMap(({ meant }) => meant ?? []))];
  if (openAiClients) {
    const names = unknown.filter(({ value }) => value !== null).map(withoutPlaces);
    context.ignored = [...new Set(names)].filter((name) => PLAIN_NAME.test(name));
  }
}

/**
 * Finds what a body's parsed value has lost of its text: numbers in free-form objects, which are stored and returned as
 * they were sent, or not at all; and, with strict handling, repeated keys. A record in FHIR has rules of its own.
 */
function lostData({ body, fhir }: Endpoint, text: string, isStrict: boolean): { path: string; message: string }[] {
  const isSuspicious = !fhir && mayHaveInexactNumbers(text);
  if (text.trim() === "" || !(isStrict || isSuspicious)) {
    return [];
  }
  const { inexactNumbers, repeatedKeys } = scanJson(text);
  const inFreeForm = isSuspicious && body ? inexactNumbers.filter((path) => isFreeForm(body, path)) : [];
  return [
    ...inFreeForm.map((path) => ({ path: path.join("."), message: INEXACT })),
    ...(isStrict ? repeatedKeys.map((path) => ({ path: path.join("."), message: "occurs twice" })) : []),
  ];
}

const INEXACT = "is a number that would lose digits; send it as a string";

/** Whether the caller prefers errors to lenient handling (RFC 7240, section 4.4). */
function prefersStrict(event: APIGatewayProxyEvent): boolean {
  return /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(header(event, "prefer") ?? "");
}

/** Types that clients send with a JSON body although they were not told to: curl's and a browser's own. */
const MEANINGLESS_TYPES = /^(application\/x-www-form-urlencoded|text\/plain)\b/i;

/** The `error` of a 415. */
export const NOT_JSON = "Request body must be JSON, with Content-Type application/json";

function parseJson({ errors }: Pick<Endpoint, "errors">, text: string, contentType = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (contentType.includes("/") && !/\bjson\b/i.test(contentType) && !MEANINGLESS_TYPES.test(contentType.trim())) {
      throw new ServiceError("unsupported-media-type", NOT_JSON);
    }
    throw unreadable({ errors }, "Request body is not valid JSON");
  }
}

function unreadable({ errors }: Pick<Endpoint, "errors">, message: string): ServiceError {
  return new ServiceError("invalid", errors.invalid ?? message, { details: [{ path: "", message }] });
}

/** A specified text is used alone (`message is required`); other messages are prefixed with the field name. */
function firstFault(details: { path: string; message: string }[]): string {
  const [{ path, message } = { path: "", message: "is not valid" }] = details;
  if (path === "") {
    return /^(must|is) /.test(message) ? `Request body ${message}` : message;
  }
  return message.startsWith(path) ? message : `${path}: ${message}`;
}
