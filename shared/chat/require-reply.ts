import { ServiceError } from "../errors.ts";
import { describeError, logError } from "../observability/logger.ts";

/**
 * The only place that decides what a model failure, a database failure, an exceeded quota or a lack of consent means
 * for the caller. If someone may be in danger, there is a reply nevertheless: the fixed text, or the neutral text.
 *
 * @param inDanger whether the screen found or suspects an alert, the model raised one, or there was one earlier in the
 *   conversation; for a message that no model has answered, also whether it is not recognized as calm
 * @param event the name of the log line of such a reply; a rejection needs none
 * @throws the failure, if it is passed on
 */
export function requireReply(failure: unknown, inDanger: boolean, event: string): undefined {
  const rejection = failure instanceof ServiceError ? failure.kind : undefined;
  if (!inDanger || (rejection !== undefined && rejection !== "over-quota" && rejection !== "forbidden")) {
    throw failure;
  }
  if (rejection === undefined) {
    logError(event, describeError(failure));
  }
}
