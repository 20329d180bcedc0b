import { alertOf, type SafetyAlert } from "../../packages/safety/alerts.ts";
import { alertIn } from "../../packages/safety/fixed-texts.ts";
import type { Clinic } from "../clinic.ts";
import type { HelpLines } from "../help-lines.ts";
import type { Prompt } from "../model/prompt.ts";
import { estimateTokens } from "../model/token-estimate.ts";
import type { Facts } from "../patients/clinical-facts.ts";
import { withoutMarkers } from "../sources/citations.ts";
import { type AnswerPart, textOf } from "../threads/answer-parts.ts";
import type { Exchange, Turn } from "../threads/thread.ts";
import type { Message } from "./chat-request.ts";
import { factsWithin, newestWithin } from "./context-budget.ts";
import { delimited } from "./delimited.ts";
import { holdNote, instructions, levelMarker } from "./instructions.ts";

const NO_RECORD = "No patient record is linked to this conversation.";

/** Facts that are always sent, because an answer without them may do harm. */
const SAFETY_FACTS = new Set(["allergies", "medications", "conditions"]);

/** An earlier message of a conversation, or a note for the model between them. */
export interface EarlierMessage {
  role: Message["role"] | "system";
  content: string;
  /** The alert in an answer. */
  alert?: SafetyAlert | undefined;
}

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
 * @param clinic whose patient asks
 * @param facts the patient's facts (`patients/clinical-facts.ts`)
 * @param history earlier messages, oldest first. Answers get the level marker with which the model should begin,
 *   because it imitates what it sees
 * @param message the new message
 * @param notice the notice for the model about the screen's findings
 * @param contextTokens the maximum length, in estimated tokens
 */
export function buildPrompt(
  clinic: Clinic,
  facts: Facts,
  history: EarlierMessage[],
  message: string,
  notice: string | undefined,
  contextTokens: number,
): FittedPrompt {
  const rules = instructions(clinic);
  const all = Object.entries(facts);
  const safety = all.filter(([name]) => SAFETY_FACTS.has(name));
  const others = all.filter(([name]) => !SAFETY_FACTS.has(name));
  const withoutRecord =
    contextTokens - estimateTokens(rules) - estimateTokens(message) - (notice ? estimateTokens(notice) : 0);
  const keptOthers = factsWithin(others, withoutRecord - estimateTokens(patientSection(safety)), delimited);
  const kept = new Set([...safety, ...keptOthers]);
  const record = patientSection(all.filter((fact) => kept.has(fact)));
  const keptHistory = newestWithin(history.map(withMarker), withoutRecord - estimateTokens(record));
  return {
    prompt: [
      { role: "system", content: `${rules}\n\n${record}` },
      ...keptHistory,
      { role: "user", content: message },
      ...(notice ? [{ role: "system" as const, content: notice }] : []),
    ],
    omittedMessages: history.length - keptHistory.length,
    omittedFacts: others.length - keptOthers.length,
  };
}

/**
 * Returns the messages of turns, in order and without what the model would imitate: disclosures, and the fixed texts
 * that users read while a person had taken over. Each such time is a single note, with what the user and the person
 * wrote.
 */
export function toMessages(turns: Turn[]): EarlierMessage[] {
  const messages: EarlierMessage[] = [];
  let held: Turn[] = [];
  for (const [index, turn] of turns.entries()) {
    if (turn.author === undefined && !turn.held) {
      messages.push(...messagesOf(turn));
      continue;
    }
    held.push(turn);
    const next = turns[index + 1];
    if (!next || (next.author === undefined && !next.held)) {
      messages.push({ role: "system", content: holdNote(delimited(held.map(saidIn))) });
      held = [];
    }
  }
  return messages;
}

function saidIn(turn: Turn): object {
  if (turn.author !== undefined) {
    return { person: turn.author, said: turn.content };
  }
  return { user: turn.question, ...(turn.alert && { alert: turn.alert }) };
}

/** What follows the model's answer, and is not a part of it. */
const TRAILING: readonly AnswerPart["kind"][] = ["handoff", "disclosure", "sources"];

function messagesOf({ question, parts, alert }: Exchange): EarlierMessage[] {
  const answer: EarlierMessage = {
    role: "assistant",
    content: textOf(parts.filter(({ kind }) => !TRAILING.includes(kind)).map(withoutCitations)),
    alert: alert && alertOf(alert),
  };
  return question === undefined ? [answer] : [{ role: "user", content: question }, answer];
}

/** The numbers of markers mean nothing in another turn. */
function withoutCitations(part: AnswerPart): AnswerPart {
  return part.kind === "words" && part.cites ? { ...part, text: withoutMarkers(part.text) } : part;
}

/** Returns the messages of a caller who keeps the conversation, with the alerts that are in its answers. */
export function fromCaller(messages: Message[], helpLines: HelpLines): EarlierMessage[] {
  return messages.map((message) => ({
    ...message,
    alert: message.role === "assistant" ? alertIn(message.content, helpLines) : undefined,
  }));
}

function withMarker({ role, content, alert }: EarlierMessage): Prompt[number] {
  return { role, content: role === "assistant" ? `${levelMarker(alert)}\n${content}` : content };
}

function patientSection(facts: [string, unknown][]): string {
  if (facts.length === 0) {
    return NO_RECORD;
  }
  return `<patient_record>\n${delimited(Object.fromEntries(facts))}\n</patient_record>`;
}
