/**
 * A request to a model, ordered by how often each part changes: the instructions with the record, the conversation, the
 * new message and, if there is one, a notice about that message. A provider's prompt cache only finds common prefixes.
 */
export type Prompt = { role: "system" | "user" | "assistant"; content: string }[];

/** Whether the prompt ends with a notice. */
function hasNotice(prompt: Prompt): boolean {
  return prompt.length > 1 && prompt.at(-1)?.role === "system";
}

/** The index of the new message. */
export function indexOfMessage(prompt: Prompt): number {
  return prompt.length - (hasNotice(prompt) ? 2 : 1);
}

/**
 * A shorter prompt, for a model that rejected the first one as too long: without the older half of the conversation.
 *
 * @returns undefined if there is no conversation to omit
 */
export function withoutOlderHalf(prompt: Prompt): Prompt | undefined {
  const messages = indexOfMessage(prompt) - 1;
  return messages > 0 ? prompt.toSpliced(1, Math.ceil(messages / 2)) : undefined;
}

/**
 * The same prompt with all system messages in the instructions, because many servers accept one only at the start. What
 * stood between the messages says where.
 */
export function withNoticesFirst(prompt: Prompt): Prompt {
  const notices = prompt.flatMap(({ role, content }, index) => {
    const later = prompt.slice(index).filter((message) => message.role === "user").length;
    const isBetween = index > 0 && later > 0;
    return role === "system"
      ? [isBetween ? `Before the last ${later} of the messages of the user: ${content}` : content]
      : [];
  });
  return [{ role: "system", content: notices.join("\n\n") }, ...prompt.filter(({ role }) => role !== "system")];
}
