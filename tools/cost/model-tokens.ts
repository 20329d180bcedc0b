import type { Message } from "../../shared/chat/chat-request.ts";
import { estimateTokens } from "../../shared/chat/context-budget.ts";
import { buildPrompt } from "../../shared/chat/prompt.ts";
import { verdictPrompt } from "../../shared/chat/verdict.ts";
import { LEAST_CACHED_TOKENS, USAGE } from "./prices.ts";

/** The tokens of all turns of a thread. */
export interface ThreadTokens {
  input: number;
  /** Input tokens that a prompt shares with the previous one, if that one was long enough to be cached. */
  cached: number;
  /** Input tokens that are cached for the next prompt. */
  written: number;
  output: number;
  /** Those of the verdicts, which are too short to be cached, if each turn had one. */
  verdictInput: number;
  verdictOutput: number;
}

/** A small record, as a typical patient has. */
const FACTS = {
  name: "A Patient",
  age: 61,
  gender: "female",
  conditions: ["hypertension"],
  allergies: "penicillin",
  medications: [{ name: "lisinopril", dosage: "10 mg", frequency: "once a day" }],
};

/** The specific numbers hardly affect a prompt's length. */
const HELP_LINES = {
  EMERGENCY_NUMBER: "911",
  CRISIS_LINE: "988",
  POISON_CONTROL: "1-800-222-1222",
  ABUSE_LINE: "1-800-799-7233",
};

const VERDICT = '{"level":"crisis","category":"suicidal-thoughts","certainty":"certain"}';

function tokensOf(prompt: { content: string }[]): number {
  return prompt.reduce((sum, { content }) => sum + estimateTokens(content), 0);
}

/** Builds the prompts of a thread with the same code as chat, and estimates their tokens. */
export function threadTokens(): ThreadTokens {
  Object.assign(process.env, HELP_LINES);
  const question = "q".repeat(USAGE.questionCharacters);
  const answer = "a".repeat(USAGE.answerCharacters);
  const history: Message[] = [];
  const tokens = { input: 0, cached: 0, written: 0, output: 0, verdictInput: 0, verdictOutput: 0 };
  let before = 0;
  for (let turn = 1; turn <= USAGE.turnsPerThread; turn++) {
    const { prompt } = buildPrompt(FACTS, history, question, undefined, Number.POSITIVE_INFINITY);
    const input = tokensOf(prompt);
    tokens.input += input;
    tokens.verdictInput += tokensOf(verdictPrompt(history, question));
    tokens.verdictOutput += estimateTokens(VERDICT);
    tokens.output += estimateTokens(answer);
    if (input >= LEAST_CACHED_TOKENS) {
      const found = before >= LEAST_CACHED_TOKENS ? before : 0;
      tokens.cached += found;
      tokens.written += input - found;
    }
    before = input;
    history.push({ role: "user", content: question }, { role: "assistant", content: answer });
  }
  return tokens;
}
