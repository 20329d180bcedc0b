import { type ErrorKind, ServiceError } from "./errors.ts";

/**
 * What a request failed with, as metrics and logs name it: why it was refused, or what of ours did not work. `other` is
 * what no other system had a part in: a missing setting, no free thread id, a fault in the code.
 */
export type FailureKind = ErrorKind | "model" | "database" | "secrets" | "other";

/** The kinds that are no refusals: they are ours to mend. */
const OURS: ReadonlySet<string> = new Set<FailureKind>(["model", "database", "secrets", "other"]);

/** Whether it is we who failed, and not the caller. */
export function isOurs(kind: string): boolean {
  return OURS.has(kind);
}

const secretsFailures = new WeakSet<Error>();

/** Notes that an error has to do with Secrets Manager or with what it holds, and returns it, to be thrown. */
export function secretsFailure<E extends Error>(error: E): E {
  secretsFailures.add(error);
  return error;
}

/**
 * Names a failure. The AWS SDK puts `$metadata` on whatever a call ends with, a lost connection included, and there are
 * two systems that it calls; Secrets Manager's failures are noted where they arise.
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
