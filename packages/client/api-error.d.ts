// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { GenericError, Help, PatientSummary } from "./schemas.d.ts";
/**
 * Error thrown for a failed call. The message is the body's `error`, for a 401 followed by the name of the header for
 * the key, or, without a body, a sentence that describes the failure. Neither the message nor anything printed with it
 * contains data of patients or conversations.
 */
export declare class ApiError extends Error {
  /** The response's status; 0 without a complete response; 200 for a stream that failed after it had started. */
  status: number;
  /**
   * The invalid fields, for a 400.
   *
   * @type {GenericError["details"]}
   */
  details: GenericError["details"];
  /**
   * Include it when you report a problem: it is in the service's logs. Undefined without a response.
   */
  requestId: string | undefined;
  /**
   * What went wrong, for programs, such as `thread-not-found`. Undefined without a complete response.
   *
   * @type {string | undefined}
   */
  code: string | undefined;
  /**
   * The seconds until a repetition may succeed, if the response says so.
   *
   * @type {number | undefined}
   */
  retryAfter: number | undefined;
  /**
   * Whom the user may call, if a message could not be answered: show its `text`. It is in the language of the message
   * in a stream, and for a chat that includes `safety`; otherwise in English.
   *
   * @type {Help | undefined}
   */
  help: Help | undefined;
  /**
   * @param {string} message
   * @param {{ status?: number, body?: unknown, headers?: Headers | undefined, requestId?: string, cause?: unknown }}
   *   [about]
   */
  constructor(
    message: string,
    {
      status,
      body,
      headers,
      requestId,
      cause,
    }?: {
      status?: number;
      body?: unknown;
      headers?: Headers | undefined;
      requestId?: string;
      cause?: unknown;
    },
  );
  /**
   * The patient with the phone number, for a 409 to `createPatient`.
   *
   * @returns {PatientSummary | undefined}
   */
  get patient(): PatientSummary | undefined;
}
