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
 * The same prompt with the notice in the instructions, because many servers accept a system message only at the start.
 */
export function withNoticeFirst(prompt: Prompt): Prompt {
  const [instructions, ...rest] = prompt;
  const notice = hasNotice(prompt) && rest.pop();
  return instructions && notice
    ? [{ ...instructions, content: `${instructions.content}\n\n${notice.content}` }, ...rest]
    : prompt;
}
