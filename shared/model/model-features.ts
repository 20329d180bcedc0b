import type { BedrockEndpoint, PromptCache } from "../config.ts";
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

/** A model's ID on Bedrock: `openai.<model>`, after the area of an inference profile, such as `us.` or `global.`. */
const ON_BEDROCK = /^([a-z]+\.)?openai\./;

/**
 * Returns the features that follow from a model's name. Models of providers other than OpenAI and Bedrock have none by
 * default. OpenAI's models on Bedrock have the same reasoning efforts ("OpenAI on Amazon Bedrock"), but their chat
 * completions do not use the prompt cache (`bedrock-parameters.ts`).
 */
function knownFeatures(name: string, baseUrl: string, onBedrock: boolean): ModelFeatures {
  const ofOpenAi = onBedrock ? name.replace(ON_BEDROCK, "") : name;
  const family = onBedrock || baseUrl === "" ? FAMILIES.find(([pattern]) => pattern.test(ofOpenAi)) : undefined;
  return { reasoningEffort: family ? "none" : "", promptCache: onBedrock ? "off" : (family?.[1] ?? "off") };
}

/** Where a model runs on Amazon Bedrock. */
export interface BedrockPlace {
  endpoint: BedrockEndpoint;
  region: string;
}

/**
 * Returns the environment variables that describe a model to the functions.
 *
 * @param prefix the prefix of the variables' names: `OPENAI` for the primary model
 * @param baseUrl "" for OpenAI, and for Bedrock's own endpoints
 * @param features explicit settings; the others follow from the name
 * @param bedrock undefined for a provider with a key
 */
export function modelVariables(
  prefix: "OPENAI" | "FALLBACK",
  name: string,
  baseUrl: string,
  features: { [Name in keyof ModelFeatures]?: string | undefined } = {},
  bedrock?: BedrockPlace | undefined,
): Environment {
  const known = knownFeatures(name, baseUrl, bedrock !== undefined);
  const place = prefix === "OPENAI" ? "BEDROCK" : "FALLBACK_BEDROCK";
  return {
    [`${prefix}_MODEL`]: name,
    [`${prefix}_BASE_URL`]: baseUrl,
    [`${prefix}_REASONING_EFFORT`]: features.reasoningEffort ?? known.reasoningEffort,
    [`${prefix}_PROMPT_CACHE`]: features.promptCache ?? known.promptCache,
    ...(bedrock && { [`${place}_ENDPOINT`]: bedrock.endpoint, [`${place}_REGION`]: bedrock.region }),
  };
}
