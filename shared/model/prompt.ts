/** What is sent to a model: the instructions, then the conversation, then the new message. */
export type Prompt = { role: "system" | "user" | "assistant"; content: string }[];

/**
 * A shorter prompt, for a model that rejected the first one as too long: without the older half of the conversation.
 *
 * @returns undefined when there is no conversation to omit
 */
export function withoutOlderHalf(prompt: Prompt): Prompt | undefined {
  const messages = prompt.length - 2;
  return messages > 0 ? prompt.toSpliced(1, Math.ceil(messages / 2)) : undefined;
}
