import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";
import type { Endpoint } from "../endpoint.ts";
import { ServiceError } from "../errors.ts";

/** The largest body, in bytes. */
export const BODY_BYTES = 256 * 1024;

z.config(en());

/** Reads a request's body for a route; made by {@link jsonBody}. */
export type BodyReader<Body> = (endpoint: Endpoint, event: APIGatewayProxyEvent) => Body;

/**
 * Makes a reader of JSON bodies. The content type is not looked at: there is only JSON. A missing body stands for an
 * empty object, which some operations accept and the others refuse with their own text.
 *
 * @param schema what a body must be
 * @returns reads a body, leaving out unknown fields; throws ServiceError `too-large`, or `invalid` with
 *   `details: [{path, message}]`. The error's text is the one the specification has for the route, or else that of the
 *   first field at fault
 */
export function jsonBody<Schema extends z.ZodMiniType>(schema: Schema): BodyReader<z.output<Schema>> {
  return (endpoint, event) => {
    const result = z.safeParse(schema, parseJson(endpoint, readText(event)));
    if (result.success) {
      return result.data;
    }
    const details = result.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    throw new ServiceError("invalid", endpoint.errors.invalid ?? firstFault(details), { details });
  };
}

function readText(event: APIGatewayProxyEvent): string {
  const body = event.body ?? "";
  // UTF-16 units are never more than UTF-8 bytes, and base64 is longer than what it encodes.
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

/** The specification's own text stands alone (`message is required`); any other message needs its field's name. */
function firstFault(details: { path: string; message: string }[]): string {
  const [first] = details;
  if (!first) {
    return "Request body is invalid";
  }
  return first.path === "" || first.message.startsWith(first.path) ? first.message : `${first.path}: ${first.message}`;
}
