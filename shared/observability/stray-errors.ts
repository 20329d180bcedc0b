import { describeError, logError } from "./logger.ts";

/**
 * Lets this process go on after an error that nobody handles, such as that of a connection which is in nobody's use. It
 * would otherwise end in the middle of a request, and lose its turn and its alert. Each such error is a fault, and is
 * logged as one, as `stray-error`. What a request waits for has a limit of its own, so that no request waits in vain.
 */
export function surviveStrayErrors(): void {
  const marks: Record<symbol, unknown> = globalThis as never;
  // A process on a laptop may hold this module several times.
  if (marks[INSTALLED]) {
    return;
  }
  marks[INSTALLED] = true;
  // Lines that nobody can read any more are no errors to log: each such line would be the next one, without an end.
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", () => {});
  }
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => logError("stray-error", describeError(error)));
  }
}

const INSTALLED = Symbol.for("health-assistant.stray-errors");
