import { fromEnv } from "@aws-sdk/credential-provider-env";
import OpenAI from "openai";
import { config, MODEL_KEY_PLACEHOLDER, type ModelProvider, type ModelSettings } from "../config.ts";
import { OperatorError } from "../errors.ts";
import { readSecret } from "../secrets.ts";
import { fetchWithin, preconnect } from "./model-fetch.ts";

type Bedrock = Extract<ModelProvider, { kind: "bedrock" }>;

/**
 * How old a copy of the model's key may be. This can be longer than for API keys, because the key is read again when
 * the provider rejects it. Each read is billed.
 */
const KEY_MILLISECONDS = 600_000;

/** The clients by provider and address, each with the key that it was created with. */
const clients = new Map<string, { key: string; openai: OpenAI }>();

/**
 * Returns the client for a model. With a key, a rotated key creates a new client. For Bedrock, each request is signed
 * with the credentials of the function's role, which are read anew each time.
 *
 * @param maxAge the maximum age of the key, in milliseconds
 * @throws OperatorError if the key was never set; the error of Secrets Manager
 */
export async function clientOf(model: ModelSettings, maxAge = KEY_MILLISECONDS): Promise<OpenAI> {
  const { provider, baseUrl } = model;
  const isBedrock = provider.kind === "bedrock";
  const key = isBedrock ? "" : await readKey(provider.keySecret, maxAge);
  const identity = JSON.stringify([provider, baseUrl]);
  const known = clients.get(identity);
  if (known?.key === key) {
    return known.openai;
  }
  const openai = new OpenAI({
    ...(isBedrock ? { provider: await bedrockProvider(provider, baseUrl) } : { apiKey: key, baseURL: baseUrl }),
    fetch: fetchWithin(config.modelLimits.connectMilliseconds) as unknown as typeof fetch,
    maxRetries: 0,
    logLevel: "off", // the SDK's own log quotes answers that it cannot parse
  });
  clients.set(identity, { key, openai });
  return openai;
}

/**
 * Prepares for the first request to the primary model: reads the key, and opens the connection.
 *
 * @throws as {@link clientOf} and {@link preconnect}
 */
export async function warmUpModel(): Promise<void> {
  const { model } = config;
  if (model.provider.kind === "bedrock") {
    const { baseURL } = await clientOf(model); // derived from the region
    await preconnect(baseURL);
  } else {
    await Promise.all([clientOf(model), preconnect(model.baseUrl)]);
  }
}

async function readKey(secret: string, maxAge: number): Promise<string> {
  const isSet = (text: string | undefined) => text && text !== MODEL_KEY_PLACEHOLDER;
  let key = await readSecret(secret, maxAge);
  if (!isSet(key)) {
    key = await readSecret(secret); // an operator is about to set it
  }
  if (!key || !isSet(key)) {
    throw new OperatorError(
      "The model's key is not set; put the provider's key into the stack's model key secret (output ModelKeySecret).",
    );
  }
  return key;
}

/** Loaded only if it is used, so that a stage with another provider does not run the code that signs. */
async function bedrockProvider({ endpoint, region }: Bedrock, baseURL: string | undefined) {
  const { bedrock } = await import("openai/providers/bedrock/aws");
  return bedrock({ endpoint, region, credentialProvider, ...(baseURL && { baseURL }) });
}

/** The function has no credentials to sign with. */
export class MissingCredentials extends Error {}

/** Lambda passes the role's credentials in the environment ("Defined runtime environment variables"). */
async function credentialProvider() {
  try {
    return await fromEnv()();
  } catch (error) {
    throw new MissingCredentials("no credentials in the environment", { cause: error });
  }
}
