/** @import { ConflictError, GenericError, PatientSummary, PlainError } from "./schemas.d.ts" */

/**
 * Why a call failed. The message is the `error` of the response's body, for a 401 with the name of the header that the
 * key belongs in, or, when the service gave none, a sentence that says what happened. The message and all that is printed
 * with it are free of records and conversations.
 */
export class ApiError extends Error {
  /** Kept out of what a console or a logger prints of an error: the body of a 409 names a patient. */
  #patient;

  /**
   * @param {string} message
   * @param {{ status?: number, body?: unknown, requestId?: string, cause?: unknown }} [about]
   */
  constructor(message, { status = 0, body, requestId, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ApiError";
    const { details, patient } = /** @type {Partial<GenericError & PlainError & ConflictError>} */ (body ?? {});
    /**
     * The response's status; 0 when no whole response came. A stream that fails after its first word has had its 200.
     */
    this.status = status;
    /**
     * The fields at fault, of a 400.
     *
     * @type {GenericError["details"]}
     */
    this.details = details;
    /**
     * Quote it when you report a problem: the service's logs have it. Undefined when no response came.
     */
    this.requestId = requestId;
    this.#patient = patient;
  }

  /**
   * The patient who has the phone number, of a 409 to `createPatient`.
   *
   * @returns {PatientSummary | undefined}
   */
  get patient() {
    return this.#patient;
  }
}
