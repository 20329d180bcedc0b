import type { PromptCache } from "../config.ts";
import type { Environment } from "../environment.ts";

/** The values of `reasoning_effort` (OpenAI, "Reasoning"); not every model accepts each of them. */
export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** What a model accepts besides the parameters that all servers of its protocol share. */
interface ModelFeatures {
  /** The value of `reasoning_effort`; "" to leave it out. */
  reasoningEffort: string;
  promptCache: PromptCache;
}

/**
 * Families of OpenAI's models, as their model pages and the guide "Prompt caching" describe them. All of these accept the
 * reasoning effort `none`.
 */
const FAMILIES: [name: RegExp, promptCache: PromptCache][] = [
  [/^gpt-(5\.6|6|6\.\d)-(sol|terra|luna)$/, "breakpoints"],
  [/^gpt-5\.5(-20[\d-]+)?$/, "key"], // keeps its cache for a day, and accepts nothing else
  [/^gpt-5\.[124](-mini|-nano)?(-20[\d-]+)?$/, "in-memory"],
];

/** What a model's name says about it. Nothing is assumed of models of other providers than OpenAI. */
function knownFeatures(name: string, baseUrl: string): ModelFeatures {
  const family = baseUrl === "" ? FAMILIES.find(([pattern]) => pattern.test(name)) : undefined;
  return { reasoningEffort: family ? "none" : "", promptCache: family?.[1] ?? "off" };
}

/**
 * The environment variables that tell the functions about a model.
 *
 * @param prefix of the variables' names: `OPENAI` for the primary model
 * @param baseUrl "" for OpenAI
 * @param features those that are set; the others follow from the name
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
