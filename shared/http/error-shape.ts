import type { EndpointErrors } from "../contract/endpoint.ts";
import { type ErrorKind, INTERNAL_ERROR } from "../errors.ts";
import type { FailureHelp } from "../request/request-context.ts";
import { table } from "../table.ts";

/** The fields of an error: `error`, and for some errors `details`, `patient` or `help`. */
interface ErrorFields {
  error: string;
  help?: FailureHelp;
  [field: string]: unknown;
}

/**
 * The body of an error in one of the specification's two shapes: `{success: false, error}` in general, `{error}` for
 * thread operations, authentication failures and a patient's 404 and 409; or in the shape of OpenAI's API. This is the
 * only place that knows them; the handlers, the gateway, the firewall and the OpenAPI document use it.
 *
 * @param code the error's code, as in the header `x-error-code`
 */
export function shapedError(
  shape: EndpointErrors["shape"] | "fhir",
  fields: ErrorFields,
  code: string,
): Record<string, unknown> {
  switch (shape) {
    case "generic":
      return { success: false, ...fields };
    case "plain":
      return fields;
    case "openai":
      return openAiError(fields, code);
    case "fhir":
      return operationOutcome(fields, code);
  }
}

/** The types and codes that OpenAI's clients know, by our code (OpenAI, "Error codes"). */
const OPENAI_NAMES = table<{ type: string; code: string }>({
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  "too-many-requests": { type: "requests", code: "rate_limit_exceeded" },
  "too-many-concurrent-chats": { type: "requests", code: "rate_limit_exceeded" },
  "daily-tokens-used-up": { type: "insufficient_quota", code: "insufficient_quota" },
  [INTERNAL_ERROR]: { type: "server_error", code: "internal_error" },
});

/**
 * The error in the shape of OpenAI's API: of several invalid fields, it names the first one. Whom to call is in its
 * message, which is all that clients show, and as `help`.
 */
function openAiError({ error, details, help }: ErrorFields, ownCode: string) {
  const message = help ? `${error}. ${help.text}` : error;
  const [{ path = "" } = {}] = (details ?? []) as { path?: string }[];
  const known = OPENAI_NAMES[ownCode] ?? { type: "invalid_request_error", code: ownCode.replaceAll("-", "_") };
  return { error: { message, type: known.type, param: path || null, code: known.code, ...(help && { help }) } };
}

/** The media type of FHIR's resources as JSON. */
export const FHIR_JSON = "application/fhir+json";

/** The issue types of our codes (HL7, value set issue-type). */
const ISSUE_TYPES = table<string>({
  invalid: "invalid",
  unauthorized: "login",
  "not-found": "not-found",
  "patient-not-found": "not-found",
  "phone-number-taken": "duplicate",
  "precondition-failed": "conflict",
  "too-large": "too-long",
  "unsupported-media-type": "not-supported",
  "idempotency-key-reused": "business-rule",
  "too-many-requests": "throttled",
  [INTERNAL_ERROR]: "exception",
});

/** The error as a FHIR resource: an issue for each invalid element, with its path. */
function operationOutcome({ error, details, patient }: ErrorFields, code: string) {
  const faults = (details ?? [{}]) as { path?: string; message?: string }[];
  const existing = (patient as { id: string } | undefined)?.id;
  return {
    resourceType: "OperationOutcome",
    issue: faults.map(({ path, message = existing && `Patient/${existing}` }) => ({
      severity: "error",
      code: ISSUE_TYPES[code] ?? "processing",
      details: { text: error },
      ...(message && { diagnostics: message }),
      ...(path && { expression: [path] }),
    })),
  };
}

/**
 * Returns the shape of an endpoint's error.
 *
 * @param kind undefined for an unexpected error, a 500
 */
export function shapeOf({ shape, plain }: EndpointErrors, kind: ErrorKind | undefined): EndpointErrors["shape"] {
  const isPlain = kind !== undefined && (kind === "unauthorized" || plain?.includes(kind));
  return isPlain && shape !== "openai" ? "plain" : shape;
}
