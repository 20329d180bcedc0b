import { type SecretsServer, startSecretsServer } from "../../../packages/lambda-local/secrets-server.ts";

/** The name of the secret with the model's key. */
export const KEY_SECRET = "model-key";

/**
 * Starts a secrets server with a model's key, and lets this process call the model with it: for tests that import
 * `shared/model` afterwards.
 *
 * @param variables additional environment variables, or other values
 */
export async function startModelEnvironment(variables: Record<string, string> = {}): Promise<SecretsServer> {
  const secrets = await startSecretsServer({ [KEY_SECRET]: "a-key" });
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    SECRETS_CACHE_SECONDS: "600",
    OPENAI_MODEL: "scripted",
    MODEL_KEY_SECRET: KEY_SECRET,
    MODEL_CONNECT_MILLISECONDS: "1000",
    MODEL_FIRST_TOKEN_MILLISECONDS: "5000",
    MODEL_TOTAL_MILLISECONDS: "5000",
    MODEL_CONTEXT_TOKENS: "32000",
    ...variables,
  });
  return secrets;
}
