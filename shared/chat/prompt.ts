import type { Prompt } from "../model/prompt.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import type { Turn } from "../threads/thread.ts";
import type { Message } from "./chat-request.ts";
import { estimateTokens, factsWithin, newestWithin } from "./context-budget.ts";
import { instructions } from "./instructions.ts";

const NO_RECORD = "No patient record is linked to this conversation.";

/** Facts that are always sent, because an answer without them may do harm. */
const SAFETY_FACTS = new Set(["allergies", "medications", "conditions"]);

/** A prompt and the number of items omitted from it. */
export interface FittedPrompt {
  prompt: Prompt;
  omittedMessages: number;
  omittedFacts: number;
}

/**
 * Builds the prompt of a chat.
 *
 * If it would be too long, the oldest messages are omitted first, then facts other than {@link SAFETY_FACTS}. The
 * instructions, the safety facts, the new message and the notice are never omitted.
 *
 * @param facts the patient's facts (`patients/clinical-facts.ts`)
 * @param history earlier messages, oldest first
 * @param message the new message
 * @param notice the notice for the model about the screen's findings
 * @param contextTokens the maximum length, in estimated tokens
 */
export function buildPrompt(
  facts: Facts,
  history: Message[],
  message: string,
  notice: string | undefined,
  contextTokens: number,
): FittedPrompt {
  const rules = instructions();
  const all = Object.entries(facts);
  const safety = all.filter(([name]) => SAFETY_FACTS.has(name));
  const others = all.filter(([name]) => !SAFETY_FACTS.has(name));
  const withoutRecord =
    contextTokens - estimateTokens(rules) - estimateTokens(message) - (notice ? estimateTokens(notice) : 0);
  const keptOthers = factsWithin(others, withoutRecord - estimateTokens(patientSection(safety)), recordJson);
  const kept = new Set([...safety, ...keptOthers]);
  const record = patientSection(all.filter((fact) => kept.has(fact)));
  const keptHistory = newestWithin(history, withoutRecord - estimateTokens(record));
  return {
    prompt: [
      { role: "system", content: `${rules}\n\n${record}` },
      ...keptHistory.map(({ role, content }) => ({ role, content })),
      { role: "user", content: message },
      ...(notice ? [{ role: "system" as const, content: notice }] : []),
    ],
    omittedMessages: history.length - keptHistory.length,
    omittedFacts: others.length - keptOthers.length,
  };
}

/** Returns the messages of turns, in order and without disclosures, which the model would imitate. */
export function toMessages(turns: Turn[]): Message[] {
  return turns.flatMap(({ question, answer, disclosureLength = 0 }): Message[] => [
    ...(question === undefined ? [] : [{ role: "user" as const, content: question }]),
    { role: "assistant", content: answer.slice(0, answer.length - disclosureLength) },
  ]);
}

/** Escapes `<`, so that no text in the record can close its delimiter or open another one. */
function recordJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function patientSection(facts: [string, unknown][]): string {
  if (facts.length === 0) {
    return NO_RECORD;
  }
  return `<patient_record>\n${recordJson(Object.fromEntries(facts))}\n</patient_record>`;
}
