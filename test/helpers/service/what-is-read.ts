import "./help-lines.ts";
import { screen } from "../../../packages/safety/screen.ts";
import { Reply } from "../../../shared/chat/reply.ts";
import { Warnings } from "../../../shared/chat/warnings.ts";
import { config } from "../../../shared/config.ts";
import { textOf } from "../../../shared/threads/answer-parts.ts";

/**
 * Returns what somebody reads below a message about danger while the model gives no verdict: the whole text of the alert
 * or, if nothing is certain or likely, the neutral text.
 *
 * @param messages the user's last ones, oldest first
 */
export function whatIsRead(...messages: string[]): string {
  const message = messages.at(-1) ?? "";
  const reply = new Reply(undefined);
  const warnings = new Warnings(reply, screen(message, messages.slice(0, -1)), {}, messages, config.helpLines);
  warnings.begin();
  warnings.raiseLikely();
  return reply.alert ? textOf(reply.parts) : warnings.neutral().text;
}
