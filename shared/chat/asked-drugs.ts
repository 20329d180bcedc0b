import { cautionTables } from "../safety/caution-tables.ts";
import { mentionedDrugs } from "../safety/mentions.ts";
import { ofKind } from "../threads/answer-parts.ts";
import type { Turn } from "../threads/thread.ts";

/** The most characters of a question that is taken to go on with the one before, such as "And how often?". */
const LONGEST_FOLLOW_UP = 40;

/**
 * Returns the message with the drugs that it goes on asking about: a caution also holds for a short question that
 * follows and names no drug.
 *
 * @param turns the conversation so far, oldest first
 */
export function withAskedDrugs(message: string, turns: readonly Turn[] = []): string {
  const last = turns.at(-1);
  const isFollowUp = message.length <= LONGEST_FOLLOW_UP && /[?？؟]\s*$/.test(message) && !namesDrug(message);
  const cautions = isFollowUp && last?.author === undefined ? ofKind("caution", last?.parts ?? []) : [];
  return [message, ...cautions.map(({ drug }) => drug)].join("\n");
}

function namesDrug(message: string): boolean {
  return mentionedDrugs(cautionTables().finder, message, "").length > 0;
}
