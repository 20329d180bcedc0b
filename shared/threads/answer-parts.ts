import type { AnswerPart } from "./thread-responses.ts";

/** Returns an answer as one text: `response` in a chat, `content` in a list of messages. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map(({ text }) => text).join("\n\n");
}
