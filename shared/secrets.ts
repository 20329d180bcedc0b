import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { config } from "./config.ts";
import { describeError, logWarning } from "./observability/logger.ts";
import { secretsFailure } from "./request/failure-kind.ts";

/** The cached value of a secret with the time of its read, or the time of a failed read. */
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
 * Reads a secret's current version, from memory while the cached value is younger than the maximum age. While Secrets
 * Manager is unreachable, the last value remains in use, and the next attempt is made no sooner than after a successful
 * one. Concurrent calls share one read.
 *
 * @param secretId name or ARN
 * @param maxAge the maximum age of the cached value, in milliseconds
 * @returns the text; undefined if the secret does not exist
 * @throws the client's error if Secrets Manager is unreachable or rejects the call, and the secret was never read
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
  const readAt = Date.now(); // the age counts from the request: the response may be outdated
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
