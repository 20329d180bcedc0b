import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { describeError, logWarning } from "./logger.ts";

/** How long a secret is used before it is read again. */
const CACHE_MILLISECONDS = 5 * 60_000;

/** A secret stands under one of these labels; a rotation moves the old value to the second. */
type Stage = "AWSCURRENT" | "AWSPREVIOUS";

/** What is known of a secret; `triedAt` is the time of the last attempt to read it, successful or not. */
interface Cached {
  triedAt: number;
  value: string | undefined;
}

const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
});

const cache = new Map<string, Cached>();
const reads = new Map<string, Promise<string | undefined>>();

/**
 * Reads a secret, from memory when it was read in the last 5 minutes. While Secrets Manager is out of reach, what was
 * read last goes on being used, and another attempt is made no sooner than after a successful one. Calls that come
 * while the secret is being read share one read.
 *
 * @param secretId name or ARN
 * @param maxAge how old the value in memory may be, in milliseconds
 * @returns the text; undefined when the secret, or that stage of it, does not exist
 * @throws the client's error when Secrets Manager cannot be reached or refuses, and the secret was never read
 */
export async function readSecret(
  secretId: string,
  stage: Stage = "AWSCURRENT",
  maxAge = CACHE_MILLISECONDS,
): Promise<string | undefined> {
  const name = `${stage} ${secretId}`;
  const cached = cache.get(name);
  if (cached && Date.now() - cached.triedAt < maxAge) {
    return cached.value;
  }
  const read = reads.get(name) ?? refresh(name, secretId, stage, cached).finally(() => reads.delete(name));
  reads.set(name, read);
  return read;
}

async function refresh(
  name: string,
  secretId: string,
  stage: Stage,
  cached: Cached | undefined,
): Promise<string | undefined> {
  try {
    cache.set(name, { value: await fetchSecret(secretId, stage), triedAt: Date.now() });
  } catch (error) {
    if (!cached) {
      throw error;
    }
    logWarning("secret-not-refreshed", describeError(error));
    cache.set(name, { ...cached, triedAt: Date.now() });
  }
  return cache.get(name)?.value;
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
