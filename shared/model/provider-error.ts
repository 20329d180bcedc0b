import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import { parseRetryAfter } from "../retry-after.ts";
import { MissingCredentials } from "./model-client.ts";
import { kindOfRefusal, ModelError } from "./model-error.ts";
import { ResponseTooLong } from "./model-fetch.ts";
import { REFUSABLE } from "./parameters.ts";
import type { Refusal } from "./refusal.ts";

/** What is known of the call that failed. */
interface Known {
  requestID?: string | undefined;
  /** The answer until then. */
  said?: string | undefined;
}

/** Bedrock has a header of its own ("Common response headers"). */
const REQUEST_ID_HEADERS = ["x-request-id", "x-amzn-requestid"];

/** Returns the provider's ID of a request from its response. */
export function requestIdIn(headers: Headers | undefined): string | undefined {
  return REQUEST_ID_HEADERS.map((name) => headers?.get(name)).find((id) => typeof id === "string");
}

/** Classifies an error of the provider's client. */
export function toModelError(error: unknown, known: Known): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof MissingCredentials) {
    return new ModelError("authentication", known);
  }
  if (error instanceof ResponseTooLong || cause instanceof ResponseTooLong) {
    return new ModelError("truncated", known);
  }
  if (error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError) {
    return new ModelError("timeout", known);
  }
  if (error instanceof APIConnectionError) {
    return new ModelError("connection", known);
  }
  if (error instanceof APIError) {
    // Without a status, it is an error event in the middle of a stream.
    return error.status === undefined ? new ModelError("server", known) : ofRefusal(error, error.status);
  }
  // All other errors come from reading the body: those of the connection have a code, the others are about its
  // contents.
  const { code } = Object(error) as { code?: unknown };
  return new ModelError(typeof code === "string" ? "connection" : "malformed", known);
}

function ofRefusal(error: APIError, status: number): ModelError {
  const { code = "", type = "", message = "", fields = [] } = (error.error ?? {}) as Partial<Refusal>; // `model-fetch.ts`
  return new ModelError(kindOfRefusal(status, `${code} ${type}`, message), {
    requestID: requestIdIn(error.headers),
    retryAfter: parseRetryAfter(error.headers?.get("retry-after"), Date.now()),
    refused: parametersNamed(message, fields),
  });
}

/** The words of an error about a parameter that a server does not know or support. */
const UNKNOWN =
  /un(?:known|recogni[sz]ed|supported|expected)|not (?:supported|permitted|allowed|recogni[sz]ed|accepted|available)|no longer supported|extra|additional|invalid|forbidden|does(?:n't| not) (?:support|accept|allow)|cannot|must not/i;

/** The parameters that a refusal names: in a field, or else in its words. */
function parametersNamed(message: string, fields: string[]): string[] {
  const inFields = REFUSABLE.filter((name) => fields.some((field) => hasWord(field, name)));
  return inFields.length > 0 || !UNKNOWN.test(message) ? inFields : REFUSABLE.filter((name) => hasWord(message, name));
}

/** Whether a text has a parameter's name as a word of its own. */
function hasWord(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "i").test(text);
}
