import { describeError, logError } from "../observability/logger.ts";

/**
 * Takes a step of a chat that an alert does not need: if it fails, the chat goes on. Nothing that is stored, such as a
 * patient's record or a clinic's source, may take an alert away from somebody in danger.
 *
 * @param step the step's name, for the log
 * @param instead what takes the place of a result that could not be computed
 */
export function besidesAlert<Result, Instead>(step: string, take: () => Result, instead: Instead): Result | Instead {
  try {
    return take();
  } catch (error) {
    return failedWith(step, instead)(error);
  }
}

/** The same for a promise's `catch`: returns a function that logs the failure, without its message. */
export function failedWith<Instead>(step: string, instead: Instead): (error: unknown) => Instead {
  return (error) => {
    logError("chat-step-failed", { step, ...describeError(error) });
    return instead;
  };
}
