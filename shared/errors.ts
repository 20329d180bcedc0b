/** Why a request is refused. `render.ts` gives each kind its status; everything that is no ServiceError is a 500. */
export type ErrorKind = "invalid" | "unauthorized" | "not-found" | "conflict" | "too-large" | "unprocessable";

/**
 * The one error that is meant for the caller.
 *
 * `message` is sent as the body's `error`, so it is one of the specification's texts or a sentence of ours, and never
 * contains what the caller sent. `extra` is merged into the body: `details` for fields at fault, `patient` for a 409.
 *
 * It has no stack trace: nothing reads it, and to record it is most of what a refusal takes.
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
 * Something only the operator can mend: a missing setting, a secret that was never filled in.
 * `message` is one sentence that says what is wrong and what to do; it holds no secret and is logged as it is.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
