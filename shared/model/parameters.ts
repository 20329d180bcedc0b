import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ReasoningEffort } from "openai/resources/shared";
import type { ModelSettings } from "../config.ts";
import { modelFields } from "../observability/gen-ai.ts";
import { logWarning } from "../observability/logger.ts";
import { ModelError } from "./model-error.ts";
import { indexOfMessage, type Prompt, withNoticesFirst } from "./prompt.ts";

/** The maximum length of an answer, including the model's reasoning. */
const MAX_OUTPUT_TOKENS = 4_096;

/** The parameters for the provider's prompt cache. */
export interface CacheUse {
  /** The same for prompts with a common prefix, such as those of a thread. It identifies nobody. */
  key: string;
  /** Whether the thread's next prompt will start with this one. */
  reusable: boolean;
}

/** Structured output instead of an answer: a JSON schema with its name. */
export interface OutputFormat {
  name: string;
  schema: Record<string, unknown>;
  /** The maximum length of the output. */
  maxTokens: number;
}

export type Parameters = Omit<ChatCompletionCreateParamsNonStreaming, "stream">;

/** What a request needs besides the prompt. */
export interface Wishes {
  cache?: CacheUse | undefined;
  format?: OutputFormat | undefined;
  streamed: boolean;
}

/**
 * Parameters that a request can do without: the answer is the same, but costs more, takes longer, or is not counted.
 * `prompt_cache` stands for all parameters of the prompt cache.
 */
export const OPTIONAL = ["response_format", "reasoning_effort", "prompt_cache", "stream_options", "store"] as const;

export type Optional = (typeof OPTIONAL)[number];

/** The limit of the answer's length, whose older name, `max_tokens`, is sent to a provider that does not know it. */
const LIMIT = "max_completion_tokens";

/** What can be left out of a request. */
export type LeftOut = Optional | typeof LIMIT;

/** What providers have rejected, by provider and model. */
const rejected = new Map<string, Set<LeftOut>>();

/** Returns the parameters of a request, without those that this model has rejected before. */
export function parametersOf(
  model: ModelSettings,
  prompt: Prompt,
  wishes: Wishes,
  also: readonly LeftOut[] = [],
): Parameters {
  const without = new Set([...rejectedBy(model), ...also]);
  const { name, reasoningEffort, promptCache } = model;
  const { cache, format, streamed } = wishes;
  return {
    model: name,
    messages: promptCache === "off" ? withNoticesFirst(prompt) : prompt,
    [without.has(LIMIT) ? "max_tokens" : LIMIT]: format?.maxTokens ?? MAX_OUTPUT_TOKENS,
    ...(!without.has("store") && { store: false }),
    ...(reasoningEffort &&
      !without.has("reasoning_effort") && { reasoning_effort: reasoningEffort as ReasoningEffort }),
    ...(cache && !without.has("prompt_cache") && cacheParameters(model, prompt, cache)),
    ...(format && !without.has("response_format") && { response_format: jsonFormat(format) }),
    ...(streamed && !without.has("stream_options") && { stream_options: { include_usage: true } }),
  };
}

/**
 * What to leave out after a provider's refusal: the parameters that it names. If it names none, structured output, which
 * fewer servers understand than anything else; and for Bedrock, everything that is optional. OpenAI knows
 * `store: false`, so it is never left out there. Any other provider that does not know it cannot store by it.
 *
 * @param error any error of an attempt
 * @param sent the parameters of that attempt
 * @returns what the next attempt leaves out as well; empty if there is nothing to leave out
 */
export function optionalIn(error: unknown, sent: Parameters, { provider, baseUrl }: ModelSettings): LeftOut[] {
  if (!(error instanceof ModelError) || error.kind !== "rejected") {
    return [];
  }
  const isOpenAi = provider.kind === "openai" && (!baseUrl || /^https:\/\/([a-z]+\.)?openai\.com\//.test(baseUrl));
  const present = [...OPTIONAL, LIMIT as typeof LIMIT].filter(
    (name) => nameInRequest(name) in sent && !(name === "store" && isOpenAi),
  );
  if (error.refused.length > 0) {
    return present.filter((name) => error.refused.some((named) => named === name || PARTS[name]?.includes(named)));
  }
  return present.filter((name) => (provider.kind === "bedrock" ? name !== LIMIT : name === "response_format"));
}

/** The parameters that one name stands for, besides itself. */
const PARTS: { [Name in LeftOut]?: readonly string[] } = {
  prompt_cache: ["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "prompt_cache_breakpoint"],
  stream_options: ["include_usage"],
  response_format: ["json_schema"],
};

/** Every name of a parameter that a refusal may be about. */
export const REFUSABLE = [...OPTIONAL, LIMIT, ...Object.values(PARTS).flat()];

function nameInRequest(name: LeftOut): string {
  return name === "prompt_cache" ? "prompt_cache_key" : name;
}

/** Remembers what a model has rejected, in this process, and logs each parameter once by our name for it. */
export function noteRejected(model: ModelSettings, parameters: readonly LeftOut[]): void {
  const known = rejectedBy(model);
  for (const parameter of parameters.filter((name) => !known.has(name))) {
    known.add(parameter);
    logWarning("model-parameter-rejected", { ...modelFields(model), parameter });
  }
}

function rejectedBy({ provider, baseUrl, name }: ModelSettings): Set<LeftOut> {
  const identity = JSON.stringify([provider, baseUrl, name]);
  const known = rejected.get(identity) ?? new Set();
  rejected.set(identity, known);
  return known;
}

function jsonFormat({ name, schema }: OutputFormat): Parameters["response_format"] {
  return { type: "json_schema", json_schema: { name, schema, strict: true } };
}

/**
 * With breakpoints, a prefix is found only if both the earlier and the new prompt have a marker there (OpenAI, "Prompt
 * caching"). So two messages are marked: the new one, because a notice that the next prompt will not have may follow
 * it, and the user's message before it, where the previous prompt was marked. Writing to the cache costs more than not
 * using it, so a prompt that cannot be reused has no marker and is not cached.
 */
function cacheParameters({ promptCache }: ModelSettings, prompt: Prompt, cache: CacheUse): Partial<Parameters> {
  const { key, reusable } = cache;
  switch (promptCache) {
    case "off":
      return {};
    case "key":
      return { prompt_cache_key: key };
    case "in-memory":
      return { prompt_cache_key: key, prompt_cache_retention: "in_memory" };
    case "breakpoints":
      return {
        messages: reusable ? withBreakpoints(prompt) : prompt,
        prompt_cache_key: key,
        prompt_cache_options: { mode: "explicit" },
      };
  }
}

/** Marks the user's last two messages. */
function withBreakpoints(prompt: Prompt): ChatCompletionMessageParam[] {
  const before = prompt.findLastIndex(({ role }, index) => role === "user" && index < indexOfMessage(prompt));
  return prompt.map(({ role, content }, index) =>
    role === "user" && index >= before
      ? { role, content: [{ type: "text", text: content, prompt_cache_breakpoint: { mode: "explicit" } }] }
      : { role, content },
  );
}
