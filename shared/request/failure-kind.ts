import { type ErrorKind, ServiceError } from "../errors.ts";

/**
 * The kinds of server-side failures, by the system that failed. `other` involves no other system: a missing setting, no
 * free thread id, a bug.
 */
const SERVER_FAILURES = ["model", "database", "secrets", "other"] as const;

/** The reason why a request failed, as named in metrics and logs: the kind of rejection or of server-side failure. */
export type FailureKind = ErrorKind | (typeof SERVER_FAILURES)[number];

/** Whether the service failed, as opposed to rejecting the request. */
export function isServerFailure(kind: string): boolean {
  return (SERVER_FAILURES as readonly string[]).includes(kind);
}

const secretsFailures = new WeakSet<Error>();

/** Marks an error as caused by Secrets Manager or a secret's contents, and returns it to be thrown. */
export function secretsFailure<E extends Error>(error: E): E {
  secretsFailures.add(error);
  return error;
}

/**
 * Returns the kind of a failure. The AWS SDK sets `$metadata` on every error of a call, even for a lost connection, and
 * calls only two systems; errors of the other one, Secrets Manager, are marked by {@link secretsFailure}.
 */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof ServiceError) {
    return error.kind;
  }
  if (!(error instanceof Error)) {
    return "other";
  }
  if (secretsFailures.has(error)) {
    return "secrets";
  }
  if (error.name === "ModelError") {
    return "model";
  }
  return "$metadata" in error ? "database" : "other";
}
