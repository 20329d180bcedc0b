/** @import { ConflictError, GenericError, Help, PatientSummary, PlainError } from "./schemas.d.ts" */

/**
 * Error thrown for a failed call. The message is the body's `error`, for a 401 followed by the name of the header for
 * the key, or, without a body, a sentence that describes the failure. Neither the message nor anything printed with it
 * contains data of patients or conversations.
 */
export class ApiError extends Error {
  /** Private, so that consoles and loggers do not print it: the body of a 409 names a patient. */
  #patient;

  /**
   * @param {string} message
   * @param {{ status?: number, body?: unknown, headers?: Headers | undefined, requestId?: string, cause?: unknown }}
   *   [about]
   */
  constructor(message, { status = 0, body, headers, requestId, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ApiError";
    const { details, patient, code, help } =
      /** @type {Partial<GenericError & PlainError & ConflictError & { code: string }>} */ (body ?? {});
    /** The response's status; 0 without a complete response; 200 for a stream that failed after it had started. */
    this.status = status;
    /**
     * The invalid fields, for a 400.
     *
     * @type {GenericError["details"]}
     */
    this.details = details;
    /**
     * Include it when you report a problem: it is in the service's logs. Undefined without a response.
     */
    this.requestId = headers?.get("x-request-id") ?? requestId;
    /**
     * What went wrong, for programs, such as `thread-not-found`. Undefined without a complete response.
     *
     * @type {string | undefined}
     */
    this.code = headers?.get("x-error-code") ?? code;
    /**
     * The seconds until a repetition may succeed, if the response says so.
     *
     * @type {number | undefined}
     */
    this.retryAfter = secondsOf(headers?.get("retry-after"));
    /**
     * Whom the user may call, if a message could not be answered: show its `text`. It is in the language of the message
     * in a stream, and for a chat that includes `safety`; otherwise in English.
     *
     * @type {Help | undefined}
     */
    this.help = help ?? helpOf(headers?.get("x-help-lines"));
    this.#patient = patient;
  }

  /**
   * The patient with the phone number, for a 409 to `createPatient`.
   *
   * @returns {PatientSummary | undefined}
   */
  get patient() {
    return this.#patient;
  }
}

/**
 * Reads `x-help-lines`, a dictionary of numbers: `emergency="911", crisis="988"`.
 *
 * @param {string | null | undefined} value
 * @returns {Help | undefined}
 */
function helpOf(value) {
  const lines = Object.fromEntries(
    [...(value ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, name, line]) => [name, line]),
  );
  return lines.emergency === undefined || lines.crisis === undefined
    ? undefined
    : {
        text: `If this may be an emergency, call ${lines.emergency}. If you are thinking of harming yourself, contact ${lines.crisis}.`,
        emergencyNumber: lines.emergency,
        crisisLine: lines.crisis,
        poisonControl: lines.poison ?? null,
        abuseLine: lines.abuse ?? null,
      };
}

/**
 * `Retry-After` in seconds from now: seconds, or a date (RFC 9110, section 10.2.3).
 *
 * @param {string | null | undefined} value
 */
function secondsOf(value) {
  if (value === null || value === undefined) {
    return undefined;
  }
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
