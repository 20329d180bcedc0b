import type { Readable } from "node:stream";
import type { Endpoint } from "../contract/endpoint.ts";
import { ERROR_CODE, type ErrorKind, INTERNAL_ERROR, ServiceError } from "../errors.ts";
import type { HelpLines } from "../help-lines.ts";
import type { FailureHelp, RequestContext } from "../request/request-context.ts";
import { FHIR_JSON, shapedError, shapeOf } from "./error-shape.ts";
import { helpHeader } from "./help.ts";

/** A response with a whole body, or with one that is sent as it is written. */
export interface HttpResponse<Body extends string | Readable = string | Readable> {
  statusCode: number;
  headers: Record<string, string>;
  body: Body;
}

/** The status of each kind of error. */
export const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  unprocessable: 422,
  "over-quota": 429,
};

/** Sent with every response. Health data must never be stored by a cache. */
export const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** Renders a successful response. */
export function renderResult(
  { status, fhir }: Endpoint,
  body: unknown,
  headers: Record<string, string> = {},
): HttpResponse<string> {
  return response(status, body, { ...headers, ...(fhir === "response" && { "content-type": FHIR_JSON }) });
}

/** Renders a 304. */
export function renderNotModified(headers: Record<string, string>): HttpResponse<string> {
  return { statusCode: 304, headers: { ...HEADERS, ...headers }, body: "" };
}

/**
 * Renders an error.
 *
 * @param accept the header of the request
 * @param help whom to call, in the body only if the request asked for it
 * @param lines those of the caller's clinic, for the header; undefined if it is not known
 */
export function renderError(
  endpoint: Endpoint,
  error: unknown,
  accept = "",
  help?: RequestContext["help"],
  lines?: HelpLines,
): HttpResponse<string> {
  const status = error instanceof ServiceError ? STATUS[error.kind] : 500;
  const code = errorCode(error);
  if (endpoint.fhir && accept.toLowerCase().includes(FHIR_JSON)) {
    const { failure } = endpoint.errors;
    const fields = error instanceof ServiceError ? { error: error.message, ...error.extra } : { error: failure };
    return response(status, shapedError("fhir", fields, code), { "content-type": FHIR_JSON, [ERROR_CODE]: code });
  }
  return response(
    status,
    errorBody(endpoint, error, help?.isAskedFor || isOpenAi(endpoint) ? help?.lines : undefined),
    {
      [ERROR_CODE]: code,
      ...helpHeader(endpoint, lines),
    },
  );
}

/** The clients of OpenAI's API show the error's message, and nothing else. */
function isOpenAi({ errors }: Endpoint): boolean {
  return errors.shape === "openai";
}

/**
 * Renders an error in a stream that has started: with the code and whom to call in the body, because the headers have
 * been sent. In OpenAI's shape, the code is there anyway.
 */
export function streamedError(
  endpoint: Endpoint,
  error: unknown,
  help: RequestContext["help"],
): Record<string, unknown> {
  const body = errorBody(endpoint, error, help?.lines);
  return isOpenAi(endpoint) ? body : { ...body, code: errorCode(error) };
}

function errorCode(error: unknown): string {
  return error instanceof ServiceError ? error.code : INTERNAL_ERROR;
}

/** Returns the body of an error. An error not meant for the caller becomes the endpoint's 500. */
function errorBody({ errors }: Endpoint, error: unknown, lines: FailureHelp | undefined): Record<string, unknown> {
  const help = lines && { help: lines };
  return error instanceof ServiceError
    ? shapedError(shapeOf(errors, error.kind), { error: error.message, ...error.extra, ...help }, error.code)
    : shapedError(errors.shape, { error: errors.failure, ...help }, INTERNAL_ERROR);
}

function response(statusCode: number, body: unknown, headers?: Record<string, string>): HttpResponse<string> {
  return {
    statusCode,
    headers: { "content-type": "application/json; charset=utf-8", ...HEADERS, ...headers },
    body: JSON.stringify(body),
  };
}
