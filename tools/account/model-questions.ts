import { defaultProvider } from "@aws-sdk/credential-provider-node";
import OpenAI, { APIError } from "openai";
import { bedrock } from "openai/providers/bedrock/aws";
import { BEDROCK_ENDPOINTS, type BedrockEndpoint, type ModelSettings } from "../../shared/config.ts";
import { undocumentedOnBedrock } from "../../shared/model/bedrock-parameters.ts";
import { OPTIONAL, type Optional, parametersOf } from "../../shared/model/parameters.ts";
import type { Account, Check } from "./account.ts";

const HELLO = [{ role: "user" as const, content: "Reply with the word ok." }];

/** For the reply, and for the reasoning of a model that is not told to leave it out. */
const MAX_TOKENS = 500;

/** Everything that a request can wish for, so that each optional parameter has a value. */
const WISHES = {
  cache: { key: "check-account", reusable: false },
  format: {
    name: "check",
    schema: { type: "object", properties: {}, additionalProperties: false },
    maxTokens: MAX_TOKENS,
  },
};

/** A model of the stage on Amazon Bedrock. */
interface Asked {
  name: string;
  endpoint: BedrockEndpoint;
  region: string;
}

/** What no page says about the stage's models on Bedrock: one short, billed request for each parameter. */
export const MODEL_QUESTIONS: Check[] = [
  {
    name: "The model on Bedrock answers a request without any optional parameter",
    remedy: "Request access to the model in this account, and compare its ID and modelRegion with its model card.",
    concerns: ({ settings }) => modelsOf(settings, "").length > 0,
    run: (account) => askEach(account, undefined),
  },
  ...OPTIONAL.map(
    (parameter): Check => ({
      name: `The model on Bedrock accepts ${parameter}`,
      remedy:
        "Nothing is broken: the service leaves it out once it was refused. Note the answer in shared/model/bedrock-parameters.ts.",
      concerns: ({ settings }) => modelsOf(settings, "").some((model) => isOpen(parameter, model)),
      run: (account) => askEach(account, parameter),
    }),
  ),
];

/**
 * Asks a model whether it accepts an optional parameter.
 *
 * @param parameter undefined for a request without any
 * @param baseURL takes the place of Bedrock's own
 * @returns why it does not; undefined if it does
 * @throws errors that say nothing about the parameter, such as a lack of permission
 */
export async function questionModel(
  { name, endpoint, region }: Asked,
  parameter: Optional | undefined,
  baseURL?: string,
): Promise<string | undefined> {
  const credentialProvider = defaultProvider();
  const provider = bedrock({ endpoint, region, credentialProvider, ...(baseURL && { baseURL }) });
  const client = new OpenAI({ provider, maxRetries: 0, logLevel: "off" });
  const model: ModelSettings = {
    name,
    provider: { kind: "bedrock", endpoint, region },
    baseUrl: baseURL,
    reasoningEffort: "none",
    promptCache: "key",
  };
  const streamed = parameter === "stream_options";
  const without = OPTIONAL.filter((other) => other !== parameter);
  const parameters = { ...parametersOf(model, HELLO, { ...WISHES, streamed }, without), stream: streamed };
  try {
    await client.chat.completions.create(parameters).asResponse();
    return undefined;
  } catch (error) {
    if (error instanceof APIError && (error.status === 400 || error.status === 422)) {
      return `${name} refuses it${error.param ? `, and names ${error.param}` : " without naming it"}`;
    }
    throw error;
  }
}

async function askEach({ lambda, settings }: Account, parameter: Optional | undefined): Promise<string | undefined> {
  const models = modelsOf(settings, await lambda.config.region());
  const asked = models.filter((model) => parameter === undefined || isOpen(parameter, model));
  const faults = await Promise.all(asked.map((model) => questionModel(model, parameter)));
  return faults.filter((fault) => fault !== undefined).join("; ") || undefined;
}

function isOpen(parameter: Optional, { name, endpoint }: Asked): boolean {
  return undocumentedOnBedrock(name, endpoint).includes(parameter);
}

/** The stage's models on Bedrock, from its settings as they were deployed. */
function modelsOf(settings: Account["settings"], ownRegion: string): Asked[] {
  return ["model", "fallbackModel"]
    .filter((setting) => settings[setting] && settings[`${setting}Provider`] === "bedrock")
    .map((setting) => ({
      name: String(settings[setting]),
      endpoint: BEDROCK_ENDPOINTS.find((endpoint) => endpoint === settings[`${setting}Endpoint`]) ?? "runtime",
      region: String(settings[`${setting}Region`] || ownRegion),
    }));
}
