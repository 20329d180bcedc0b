/** Why a request is rejected. `render.ts` maps each kind to a status; any other error is a 500. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "conflict"
  | "precondition-failed"
  | "too-large"
  | "unsupported-media-type"
  | "unprocessable"
  | "over-quota";

/** The header of every error with its code, which tells programs what went wrong, for example `thread-not-found`. */
export const ERROR_CODE = "x-error-code";

/** The code of an unexpected error, a 500. */
export const INTERNAL_ERROR = "internal-error";

/** The text of an error, and its code where the kind of error does not say enough. */
export interface ErrorText {
  error: string;
  code: string;
}

/**
 * Error thrown to reject a request; the only error whose message the caller sees.
 *
 * `message` becomes the body's `error`, so it is one of the specification's texts or our own, and never quotes the
 * request. `extra` is merged into the body: `details` for invalid fields, `patient` for a 409.
 *
 * It has no stack trace: nothing reads it, and capturing it would take most of the time of a rejection.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly kind: ErrorKind;
  readonly code: string;
  readonly extra: Record<string, unknown>;

  /** @param text without a code of its own, the code is the kind */
  constructor(kind: ErrorKind, text: string | ErrorText, extra: Record<string, unknown> = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(typeof text === "string" ? text : text.error);
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.code = typeof text === "string" ? kind : text.code;
    this.extra = extra;
  }
}

/** The error of a field that is not valid. `error` is the body's own, where it is not this one. */
export function invalidField(path: string, message: string, error = `${path}: ${message}`): ServiceError {
  return new ServiceError("invalid", error, { details: [{ path, message }] });
}

/**
 * Error thrown for a problem that only the operator can fix, such as a missing setting or a secret without a value.
 * `message` is one sentence that describes the problem and the fix. It is logged and contains no secret.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
