// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

import type { GenericError, PatientSummary } from "./schemas.d.ts";
/**
 * Why a call failed. The message is the `error` of the response's body, for a 401 with the name of the header that the
 * key belongs in, or, when the service gave none, a sentence that says what happened. The message and all that is printed
 * with it are free of records and conversations.
 */
export declare class ApiError extends Error {
  /**
   * The response's status; 0 when no whole response came. A stream that fails after its first word has had its 200.
   */
  status: number;
  /**
   * The fields at fault, of a 400.
   *
   * @type {GenericError["details"]}
   */
  details: GenericError["details"];
  /**
   * Quote it when you report a problem: the service's logs have it. Undefined when no response came.
   */
  requestId: string | undefined;
  /**
   * @param {string} message
   * @param {{ status?: number, body?: unknown, requestId?: string, cause?: unknown }} [about]
   */
  constructor(
    message: string,
    {
      status,
      body,
      requestId,
      cause,
    }?: {
      status?: number;
      body?: unknown;
      requestId?: string;
      cause?: unknown;
    },
  );
  /**
   * The patient who has the phone number, of a 409 to `createPatient`.
   *
   * @returns {PatientSummary | undefined}
   */
  get patient(): PatientSummary | undefined;
}
