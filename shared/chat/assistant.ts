import OpenAI from "openai";
import { config, MODEL_KEY_PLACEHOLDER } from "../config.ts";
import { OperatorError } from "../errors.ts";
import { annotate, describeError, logWarning } from "../logger.ts";
import { readSecret } from "../secrets.ts";
import type { Prompt } from "./prompt.ts";

/** The most the model may write, its reasoning included. */
const MAX_OUTPUT_TOKENS = 4_096;

/** The model answered, but with nothing that can be given to a patient. The message never quotes the answer. */
export class ModelError extends Error {
  override readonly name = "ModelError";
}

let client: { key: string; openai: OpenAI } | undefined;

/**
 * Asks the model, over the Chat Completions protocol that OpenAI, Azure, Ollama, vLLM and llama.cpp share.
 *
 * The provider is told not to keep the conversation (`store: false`).
 *
 * @param timeoutMilliseconds the limit for everything: connecting, the answer, and the one repetition the client makes
 *   after a failure that may pass
 * @returns the answer, never empty
 * @throws OperatorError when the model's key was never set; ModelError when the answer is empty, refused or filtered;
 *   the client's error on everything else, time running out included
 */
export async function askModel(prompt: Prompt, timeoutMilliseconds: number): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const openai = await openaiClient();
  const completion = await openai.chat.completions.create(
    { model: config.model, messages: prompt, max_completion_tokens: MAX_OUTPUT_TOKENS, store: false },
    { signal, timeout: timeoutMilliseconds, maxRetries: 1 },
  );
  annotate({
    model: completion.model,
    inputTokens: completion.usage?.prompt_tokens,
    outputTokens: completion.usage?.completion_tokens,
  });
  const choice = completion.choices?.[0];
  if (choice?.finish_reason === "content_filter") {
    throw new ModelError("the answer was stopped by the provider's content filter");
  }
  if (choice?.message?.refusal) {
    throw new ModelError("the model refused to answer");
  }
  const text = choice?.message?.content;
  if (typeof text !== "string" || text.trim() === "") {
    throw new ModelError("the answer was empty");
  }
  return text.trim().toWellFormed();
}

/** The client for the key that is valid now; a rotated key makes a new one. */
async function openaiClient(): Promise<OpenAI> {
  const key = await currentKey();
  if (!key || key === MODEL_KEY_PLACEHOLDER) {
    throw new OperatorError(
      "The model's key is not set; put the provider's key into the stack's model key secret (output ModelKeySecret).",
    );
  }
  if (client?.key !== key) {
    // The SDK's own log quotes answers that it cannot parse.
    client = { key, openai: new OpenAI({ apiKey: key, baseURL: config.modelBaseUrl, logLevel: "off" }) };
  }
  return client.openai;
}

/** The key as the secret has it; the one known last while Secrets Manager is out of reach. */
async function currentKey(): Promise<string | undefined> {
  try {
    return await readSecret(config.modelKeySecret);
  } catch (error) {
    if (!client) {
      throw error;
    }
    logWarning("model-key-not-refreshed", describeError(error));
    return client.key;
  }
}
