import { ServiceError } from "../errors.ts";
import { describeError, logError } from "../observability/logger.ts";

/**
 * The only place that decides what a model failure, a database failure or an exceeded quota means for the caller. If
 * someone may be in danger, there is a reply nevertheless: the fixed text, or the neutral text.
 *
 * @param inDanger whether the screen found or suspects an alert, the model raised one, there was one earlier in the
 *   conversation, or the message is in a language that the screen cannot read and no model has answered it
 * @param event the name of the log line of such a reply; an exceeded quota needs none
 * @throws the failure, if it is passed on
 */
export function requireReply(failure: unknown, inDanger: boolean, event: string): undefined {
  const overQuota = failure instanceof ServiceError && failure.kind === "over-quota";
  if (!inDanger || (failure instanceof ServiceError && !overQuota)) {
    throw failure;
  }
  if (!overQuota) {
    logError(event, describeError(failure));
  }
}
