/** Why a request is rejected. `render.ts` maps each kind to a status; any other error is a 500. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "not-found"
  | "conflict"
  | "precondition-failed"
  | "too-large"
  | "unprocessable"
  | "over-quota";

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
  readonly extra: Record<string, unknown>;

  constructor(kind: ErrorKind, message: string, extra: Record<string, unknown> = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.extra = extra;
  }
}

/**
 * Error thrown for a problem that only the operator can fix, such as a missing setting or a secret without a value.
 * `message` is one sentence that describes the problem and the fix. It is logged and contains no secret.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
