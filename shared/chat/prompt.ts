import type { Patient } from "../patients/patient.ts";
import type { SafetyAlert } from "../safety/alert.ts";
import type { Turn } from "../threads/thread.ts";
import type { Message, PatientData } from "./chat-schemas.ts";
import { estimateTokens, factsWithin, newestWithin } from "./context-budget.ts";
import { instructions } from "./instructions.ts";

/** What is sent to the model: the instructions, then the conversation. */
export type Prompt = { role: "system" | "user" | "assistant"; content: string }[];

const NO_RECORD = "No patient record is linked to this conversation.";

/** Facts that an answer may harm someone without; they are sent whatever else has to be left out. */
const SAFETY_FACTS = new Set(["allergies", "medications", "conditions"]);

/** A prompt, and how much of what there was did not fit into it. */
export interface FittedPrompt {
  prompt: Prompt;
  omittedMessages: number;
  omittedFacts: number;
}

/**
 * Builds what the model is asked.
 *
 * Only clinical facts leave the house: never a phone number, an access code, the ids of messaging services or a plan.
 * When it would be too long, the oldest messages go first and then the facts that are not {@link SAFETY_FACTS}; the
 * instructions, the safety facts and the new message never go.
 *
 * @param facts of the patient, from {@link clinicalFacts}
 * @param history earlier messages, oldest first
 * @param message the new message
 * @param alert what the screen found in it
 * @param contextTokens the estimate that the whole should not exceed
 */
export function buildPrompt(
  facts: Facts,
  history: Message[],
  message: string,
  alert: SafetyAlert | undefined,
  contextTokens: number,
): FittedPrompt {
  const rules = instructions(alert);
  const all = Object.entries(facts);
  const safety = all.filter(([name]) => SAFETY_FACTS.has(name));
  const others = all.filter(([name]) => !SAFETY_FACTS.has(name));
  const withoutRecord = contextTokens - estimateTokens(rules) - estimateTokens(message);
  const keptOthers = factsWithin(others, withoutRecord - estimateTokens(patientSection(safety)), recordJson);
  const kept = new Set([...safety, ...keptOthers]);
  const record = patientSection(all.filter((fact) => kept.has(fact)));
  const keptHistory = newestWithin(history, withoutRecord - estimateTokens(record));
  return {
    prompt: [
      { role: "system", content: `${rules}\n\n${record}` },
      ...keptHistory.map(({ role, content }) => ({ role, content })),
      { role: "user", content: message },
    ],
    omittedMessages: history.length - keptHistory.length,
    omittedFacts: others.length - keptOthers.length,
  };
}

/**
 * A prompt for a model that found the first one too long: without the older half of the conversation.
 *
 * @returns undefined when there is no conversation to leave out
 */
export function withoutOlderHalf(prompt: Prompt): Prompt | undefined {
  const messages = prompt.length - 2;
  return messages > 0 ? prompt.toSpliced(1, Math.ceil(messages / 2)) : undefined;
}

/** The messages of turns, in their order. */
export function toMessages(turns: Turn[]): Message[] {
  return turns.flatMap(({ question, answer }): Message[] => [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ]);
}

/**
 * The request that makes the model open a conversation with a question.
 *
 * @returns undefined when the record already has what such a question asks for, age and gender
 */
export function openingRequest(patient: Patient): string | undefined {
  const missing = [patient.age === undefined && "age", patient.gender === undefined && "gender"].filter(Boolean);
  if (missing.length === 0) {
    return undefined;
  }
  return `Please open our conversation: greet me in one short sentence and ask me for my ${missing.join(" and ")}, which my record lacks, saying that it helps you to answer better and that I need not tell you.`;
}

/** What is known of a patient and may be sent to the model: a field's name, and its value as it is stored or was sent. */
export type Facts = Record<string, unknown>;

/**
 * The facts that may be sent.
 *
 * @param patient the stored record, if any
 * @param override `patientData` of the request; wins field by field
 */
export function clinicalFacts(patient: Patient | undefined, override: PatientData | undefined): Facts {
  const facts: Facts = {
    name: patient?.name,
    age: patient?.age,
    gender: patient?.gender,
    height: patient?.height,
    weight: patient?.weight,
    race: patient?.race,
    blood_type: patient?.blood_type,
    conditions: patient?.conditions,
    allergies: patient?.allergies,
    medications: patient?.medications,
    notes: patient?.notes,
    refill_info: patient?.refill_info,
  };
  const { phone_number: _phone, reminders_enabled: _reminders, ...overriding } = override ?? {};
  for (const [name, value] of Object.entries(overriding)) {
    if (value !== undefined) {
      facts[name] = value;
    }
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** `<` is escaped, so that no text in the record can close its delimiter or open another. */
function recordJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function patientSection(facts: [string, unknown][]): string {
  if (facts.length === 0) {
    return NO_RECORD;
  }
  return `<patient_record>\n${recordJson(Object.fromEntries(facts))}\n</patient_record>`;
}
