import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { config } from "./config.ts";
import { secretsFailure } from "./failure-kind.ts";
import { describeError, logWarning } from "./logger.ts";

/** What is known of a secret, and since when; after a read that failed, when that was. */
interface Cached {
  readAt: number;
  value: string | undefined;
}

const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
});

const cache = new Map<string, Cached>();
const reads = new Map<string, Promise<string | undefined>>();

/**
 * Reads a secret's current version, from memory while that is younger than the configured time. While Secrets Manager
 * is out of reach, what was read last goes on being used, and another attempt is made no sooner than after a successful
 * one. Calls that come while the secret is being read share one read.
 *
 * @param secretId name or ARN
 * @param maxAge how old the value in memory may be, in milliseconds
 * @returns the text; undefined when the secret does not exist
 * @throws the client's error when Secrets Manager cannot be reached or refuses, and the secret was never read
 */
export async function readSecret(
  secretId: string,
  maxAge = config.secretsCacheSeconds * 1000,
): Promise<string | undefined> {
  const cached = cache.get(secretId);
  if (cached && Date.now() - cached.readAt < maxAge) {
    return cached.value;
  }
  const read = reads.get(secretId) ?? refresh(secretId, cached).finally(() => reads.delete(secretId));
  reads.set(secretId, read);
  return read;
}

async function refresh(secretId: string, cached: Cached | undefined): Promise<string | undefined> {
  const readAt = Date.now(); // a value is as old as the question: it may have been replaced while it was on its way
  try {
    const value = await fetchSecret(secretId);
    cache.set(secretId, { value, readAt });
    return value;
  } catch (error) {
    if (!cached) {
      throw error;
    }
    logWarning("secret-not-refreshed", describeError(error));
    cache.set(secretId, { ...cached, readAt: Date.now() });
    return cached.value;
  }
}

async function fetchSecret(secretId: string): Promise<string | undefined> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    return SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw secretsFailure(error as Error);
  }
}
