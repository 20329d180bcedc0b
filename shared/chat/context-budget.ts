import { estimateTokens } from "../model/token-estimate.ts";

/**
 * Returns the newest messages that fit.
 *
 * @param messages oldest first
 * @param budget in tokens
 */
export function newestWithin<Message extends { content: string }>(messages: Message[], budget: number): Message[] {
  let left = budget;
  let first = messages.length;
  for (const message of messages.toReversed()) {
    left -= estimateTokens(message.content);
    if (left < 0) {
      break;
    }
    first--;
  }
  return messages.slice(first);
}

/**
 * Returns the facts that fit, preferring the shortest, so that one long note does not displace an age.
 *
 * @param budget in tokens
 * @param serialize formats a fact as it will be sent
 */
export function factsWithin(
  facts: [name: string, value: unknown][],
  budget: number,
  serialize: (fact: unknown) => string,
): [string, unknown][] {
  const sized = facts.map((fact) => ({ fact, tokens: estimateTokens(serialize(fact)) }));
  let left = budget;
  const kept = new Set<string>();
  for (const { fact, tokens } of sized.toSorted((a, b) => a.tokens - b.tokens)) {
    left -= tokens;
    if (left < 0) {
      break;
    }
    kept.add(fact[0]);
  }
  return facts.filter(([name]) => kept.has(name));
}
