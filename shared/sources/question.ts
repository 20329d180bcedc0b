import referringWords from "./data/referring-words.json" with { type: "json" };
import { tokensOf } from "./tokens.ts";
import { wordsOf } from "./words.ts";

/** A question of at most so many words refers to what was asked before, as "and on Sundays?" does. */
const FEW_WORDS = 3;

/** Words with which a question refers to what was said. */
const REFERS = new Set(Object.values(referringWords).flatMap(wordsOf));

/**
 * Returns what to search for: the message, and the message before it if this one refers to it, because it is short or
 * begins with a word that points back. Deterministic, so it takes no request to the model.
 *
 * @param earlier the user's earlier messages, oldest first
 */
export function searchedFor(message: string, earlier: readonly string[]): string {
  const before = earlier.at(-1);
  if (before === undefined) {
    return message;
  }
  const [first] = wordsOf(message);
  const refers = tokensOf(message).length <= FEW_WORDS || (first !== undefined && REFERS.has(first));
  return refers ? `${message}\n${before}` : message;
}
