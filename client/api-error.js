/** @import { ConflictError, GenericError, PatientSummary, PlainError } from "./schemas.d.ts" */

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
    const { details, patient, code } =
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
