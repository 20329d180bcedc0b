import type { SafetyAlert } from "../../shared/safety/alert.ts";
import { screen } from "../../shared/safety/screen.ts";
import { trainingSources } from "../../tools/safety/labeled.ts";

/**
 * English messages of the labeled sets in which the current screen suspects an alert without being certain. They are
 * searched for at run time, because training moves the line between the two.
 */
export function suspectedMessages(level: SafetyAlert["level"], count: number): string[] {
  const messages: string[] = [];
  for (const source of trainingSources()) {
    for (const { text } of source.messages) {
      const { finding, language } = screen(text);
      if (language === "en" && finding?.certainty === "suspected" && finding.alert.level === level) {
        messages.push(text);
      }
      if (messages.length === count) {
        return messages;
      }
    }
  }
  throw new Error(`The labeled sets have fewer than ${count} messages in which a ${level} is suspected.`);
}
