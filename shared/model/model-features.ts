import type { PromptCache } from "../config.ts";
import type { Environment } from "../environment.ts";

/** The values of `reasoning_effort` (OpenAI, "Reasoning"); not every model accepts each of them. */
export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** What a model accepts besides the parameters that all servers of its protocol share. */
interface ModelFeatures {
  /** The value of `reasoning_effort`; "" to omit it. */
  reasoningEffort: string;
  promptCache: PromptCache;
}

/**
 * Families of OpenAI models, according to their model pages and the guide "Prompt caching". All of them accept the
 * reasoning effort `none`.
 */
const FAMILIES: [name: RegExp, promptCache: PromptCache][] = [
  [/^gpt-(5\.6|6|6\.\d)-(sol|terra|luna)$/, "breakpoints"],
  [/^gpt-5\.5(-20[\d-]+)?$/, "key"], // keeps its cache for a day and accepts nothing else
  [/^gpt-5\.[124](-mini|-nano)?(-20[\d-]+)?$/, "in-memory"],
];

/** Returns the features that follow from a model's name. Models of providers other than OpenAI have none by default. */
function knownFeatures(name: string, baseUrl: string): ModelFeatures {
  const family = baseUrl === "" ? FAMILIES.find(([pattern]) => pattern.test(name)) : undefined;
  return { reasoningEffort: family ? "none" : "", promptCache: family?.[1] ?? "off" };
}

/**
 * Returns the environment variables that describe a model to the functions.
 *
 * @param prefix the prefix of the variables' names: `OPENAI` for the primary model
 * @param baseUrl "" for OpenAI
 * @param features explicit settings; the others follow from the name
 */
export function modelVariables(
  prefix: "OPENAI" | "FALLBACK",
  name: string,
  baseUrl: string,
  features: { [Name in keyof ModelFeatures]?: string | undefined } = {},
): Environment {
  const known = knownFeatures(name, baseUrl);
  return {
    [`${prefix}_MODEL`]: name,
    [`${prefix}_BASE_URL`]: baseUrl,
    [`${prefix}_REASONING_EFFORT`]: features.reasoningEffort ?? known.reasoningEffort,
    [`${prefix}_PROMPT_CACHE`]: features.promptCache ?? known.promptCache,
  };
}
