import type { BedrockEndpoint } from "../config.ts";
import { OPTIONAL, type Optional } from "./parameters.ts";

/** What a page says about the optional parameters of a model's chat completions on one of Bedrock's endpoints. */
interface Documented {
  model: RegExp;
  endpoint: BedrockEndpoint;
  accepts: readonly Optional[];
  /** Of no use with chat completions, and therefore not sent by default. */
  useless: readonly Optional[];
}

/**
 * The model card of GPT-6 Luna (Amazon Bedrock User Guide, model-card-openai-gpt-6-luna.html, of 2026-10): reasoning
 * efforts from `none` to `max`; structured outputs on the endpoint runtime only; prompt caching for the Responses API
 * only. No page says what chat completions make of the others, or of any with another model. Each of them is left out
 * once it has been refused (`parameters.ts`), and `npm run check:account -- --try` asks the model.
 */
const DOCUMENTED: Documented[] = [
  {
    model: /^(us\.|global\.)?openai\.gpt-6-luna$/,
    endpoint: "runtime",
    accepts: ["reasoning_effort", "response_format"],
    useless: ["prompt_cache"],
  },
  { model: /^openai\.gpt-6-luna$/, endpoint: "mantle", accepts: ["reasoning_effort"], useless: ["prompt_cache"] },
];

/** Returns the parameters about which no page says whether this model accepts them. */
export function undocumentedOnBedrock(model: string, endpoint: BedrockEndpoint): Optional[] {
  const { accepts = [], useless = [] } =
    DOCUMENTED.find((known) => known.model.test(model) && known.endpoint === endpoint) ?? {};
  return OPTIONAL.filter((name) => !accepts.includes(name) && !useless.includes(name));
}
