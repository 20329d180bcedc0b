import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";

/** How long a secret is used before it is read again. */
const CACHE_MILLISECONDS = 5 * 60_000;

/** A secret stands under one of these labels; a rotation moves the old value to the second. */
type Stage = "AWSCURRENT" | "AWSPREVIOUS";

const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
});

const cache = new Map<string, { readAt: number; value: Promise<string | undefined> }>();

/**
 * Reads a secret, from memory when it was read in the last 5 minutes. Calls that come while it is being read wait for
 * the same answer, and a failed read is not remembered.
 *
 * @param secretId name or ARN
 * @param maxAge how old the value in memory may be, in milliseconds
 * @returns the text; undefined when the secret, or that stage of it, does not exist
 * @throws the client's error when Secrets Manager cannot be reached or refuses
 */
export function readSecret(
  secretId: string,
  stage: Stage = "AWSCURRENT",
  maxAge = CACHE_MILLISECONDS,
): Promise<string | undefined> {
  const name = `${stage} ${secretId}`;
  const cached = cache.get(name);
  if (cached && Date.now() - cached.readAt < maxAge) {
    return cached.value;
  }
  const entry = { readAt: Date.now(), value: fetchSecret(secretId, stage) };
  cache.set(name, entry);
  entry.value.catch(() => {
    if (cache.get(name) === entry) {
      cache.delete(name);
    }
  });
  return entry.value;
}

async function fetchSecret(secretId: string, stage: Stage): Promise<string | undefined> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId, VersionStage: stage }));
    return SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}
