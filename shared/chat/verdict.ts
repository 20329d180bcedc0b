import { CRISES, EMERGENCIES } from "../../packages/safety/alerts.ts";
import { getAnswer } from "../model/answer.ts";
import { type ReadLevel, readVerdict } from "../model/level-words.ts";
import type { OutputFormat } from "../model/parameters.ts";
import type { Prompt } from "../model/prompt.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { CallerContext } from "../request/request-context.ts";
import { COMMIT_RESERVE_MILLISECONDS, VERDICT_MILLISECONDS } from "../time-limits.ts";
import { newestWithin } from "./context-budget.ts";
import { VERDICT_INSTRUCTIONS } from "./instructions.ts";
import type { EarlierMessage } from "./prompt.ts";

/** The earlier messages that the verdict is based on, and their maximum length together in tokens. */
const EARLIER_MESSAGES = 6;
const EARLIER_TOKENS = 1_500;

/** For the JSON and nothing else: a model that reasons first would not be done in time anyway. */
const MAX_TOKENS = 100;

const oneOf = (...values: string[]) => ({ type: "string", enum: values });

const FORMAT: OutputFormat = {
  name: "verdict",
  schema: {
    type: "object",
    properties: {
      level: oneOf("none", "crisis", "emergency"),
      category: oneOf("none", ...EMERGENCIES, ...CRISES),
      certainty: oneOf("certain", "unsure"),
    },
    required: ["level", "category", "certainty"],
    additionalProperties: false,
  },
  maxTokens: MAX_TOKENS,
};

/** Builds the prompt: the last messages as data, so that the model judges instead of answering. */
function verdictPrompt(history: EarlierMessage[], message: string): Prompt {
  const earlier = newestWithin(history.slice(-EARLIER_MESSAGES), EARLIER_TOKENS);
  const conversation = [...earlier, { role: "user", content: message }];
  return [
    { role: "system", content: VERDICT_INSTRUCTIONS },
    { role: "user", content: JSON.stringify(conversation.map(({ role, content }) => ({ role, content }))) },
  ];
}

/**
 * Asks the model whether a message in which the screen suspects a danger is one. The request contains the last messages
 * and nothing of the patient's record. Never fails.
 *
 * @param history earlier messages, oldest first
 * @param signal ends the question
 * @returns undefined without a verdict: the model failed, took too long, or its verdict cannot be read
 */
export async function askVerdict(
  context: CallerContext,
  history: EarlierMessage[],
  message: string,
  signal: AbortSignal,
): Promise<ReadLevel | undefined> {
  const left = context.deadline - COMMIT_RESERVE_MILLISECONDS - Date.now();
  const options = { format: FORMAT, milliseconds: Math.min(VERDICT_MILLISECONDS, left), signal };
  const reply = getAnswer(context, verdictPrompt(history, message), options);
  const verdict = await reply.then(readVerdict, () => undefined); // the failure itself has been logged
  if (!verdict) {
    countWithoutRequestId("VerdictsMissing", 1);
  }
  return verdict;
}
