import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod/mini";
import type { Endpoint } from "../endpoint.ts";
import { ServiceError } from "../errors.ts";
import { validationMessage } from "./validation-messages.ts";

/** The largest body, in bytes. */
export const BODY_BYTES = 256 * 1024;

/** The maximum number of error details: enough to correct a form with, and small whatever was sent. */
export const MAX_DETAILS = 20;

z.config({ localeError: validationMessage });

/** Reads the body of an endpoint's request; created by {@link jsonBody}. */
export type BodyReader<Body> = (endpoint: Endpoint, event: APIGatewayProxyEvent) => Body;

/**
 * Creates a reader of JSON bodies. The content type is ignored, since all bodies are JSON. A missing body stands for an
 * empty object, which some operations accept and the others reject with their own text.
 *
 * @param schema what a body must match
 * @returns reads a body, leaving out unknown fields; throws ServiceError `too-large`, or `invalid` with
 *   `details: [{path, message}]` and, if there are more than {@link MAX_DETAILS}, `moreDetails`: how many more. The
 *   error's text is the one that the specification has for the endpoint, or else that of the first invalid field
 */
export function jsonBody<Schema extends z.ZodMiniType>(schema: Schema): BodyReader<z.output<Schema>> {
  return (endpoint, event) => {
    const result = z.safeParse(schema, parseJson(endpoint, readText(event)));
    if (result.success) {
      return result.data;
    }
    const { issues } = result.error;
    const details = issues
      .slice(0, MAX_DETAILS)
      .map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    throw new ServiceError("invalid", endpoint.errors.invalid ?? firstFault(details), {
      details,
      ...(issues.length > MAX_DETAILS && { moreDetails: issues.length - MAX_DETAILS }),
    });
  };
}

function readText(event: APIGatewayProxyEvent): string {
  const body = event.body ?? "";
  // A text has at most as many UTF-16 units as UTF-8 bytes, and base64 is longer than what it encodes.
  if (body.length <= 2 * BODY_BYTES) {
    const text = event.isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
    if (Buffer.byteLength(text) <= BODY_BYTES) {
      return text;
    }
  }
  throw new ServiceError("too-large", `Request body must not be larger than ${BODY_BYTES / 1024} KB`);
}

function parseJson({ errors }: Endpoint, text: string): unknown {
  if (text.trim() === "") {
    return {};
  }
  try {
    return JSON.parse(text);
  } catch {
    const message = "Request body is not valid JSON";
    throw new ServiceError("invalid", errors.invalid ?? message, { details: [{ path: "", message }] });
  }
}

/** The specification's own text stands alone (`message is required`); other messages need the name of their field. */
function firstFault(details: { path: string; message: string }[]): string {
  const [{ path, message } = { path: "", message: "is not valid" }] = details;
  if (path === "") {
    return /^(must|is) /.test(message) ? `Request body ${message}` : message;
  }
  return message.startsWith(path) ? message : `${path}: ${message}`;
}
