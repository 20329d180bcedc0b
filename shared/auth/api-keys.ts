import { hash, timingSafeEqual } from "node:crypto";
import { config } from "../config.ts";
import { OperatorError } from "../errors.ts";
import { describeError, logError } from "../observability/logger.ts";
import { secretsFailure } from "../request/failure-kind.ts";
import type { Quotas } from "../request/quota-limits.ts";
import { readSecret } from "../secrets.ts";
import { type Tenant, tenantNamed } from "../tenant.ts";
import { parseClientKeys } from "./client-keys.ts";

/** Between reads caused by unknown keys: a new key works within seconds, and guessing keys costs no reads. */
const REREAD_MILLISECONDS = 5_000;

/** The client that an API key belongs to. */
export interface Client {
  name: string;
  /** The owner of the data that it can use. */
  tenant: Tenant;
  quotas: Quotas | undefined;
  /** Whether the key has been replaced by a rotation and remains valid until the overlap ends. */
  previousKey: boolean;
}

interface Candidate extends Client {
  keyHash: Buffer;
}

let candidates: Candidate[] | undefined;
let readFrom: string | undefined;

/**
 * Finds the client that an API key belongs to. The key is compared with every known key, by hash and in constant time,
 * so that response times reveal neither a key's length nor its position.
 *
 * Only the secret's current version is valid, so a key removed from it stops working. During a rotation, both keys of a
 * client are in that version. If Secrets Manager is unreachable or the secret is malformed, the last read keys remain
 * valid.
 *
 * @returns undefined when no client has the key
 * @throws OperatorError when the secret does not exist or is not a JSON object; errors of the AWS SDK when Secrets
 *   Manager is unreachable and no keys have been read before
 */
export async function findClient(key: string): Promise<Client | undefined> {
  const keyHash = hashOf(key);
  const known = match(await loadApiKeys(), keyHash);
  return known ?? match(await loadApiKeys(REREAD_MILLISECONDS), keyHash);
}

function match(all: Candidate[], keyHash: Buffer): Client | undefined {
  let found: Candidate | undefined;
  for (const candidate of all) {
    if (timingSafeEqual(candidate.keyHash, keyHash)) {
      found ??= candidate;
    }
  }
  return found;
}

/**
 * Returns the API keys, reading the secret if the cached copy is too old.
 *
 * @param maxAge maximum age of the cached copy in milliseconds; by default `SECRETS_CACHE_SECONDS`
 * @throws the errors of {@link findClient}
 */
export async function loadApiKeys(maxAge?: number): Promise<Candidate[]> {
  const secret = await readSecret(config.apiKeysSecret, maxAge);
  if (!candidates || readFrom !== secret) {
    try {
      candidates = candidatesOf(secret);
    } catch (error) {
      if (!candidates) {
        throw error;
      }
      logError("api-keys-unreadable", describeError(error));
    }
    readFrom = secret;
  }
  return candidates;
}

function candidatesOf(secret: string | undefined): Candidate[] {
  if (secret === undefined) {
    throw secretsFailure(
      new OperatorError("The secret with the API keys does not exist; deploy the stack again to create it."),
    );
  }
  const clients = [...parseClientKeys(secret)];
  for (const [name] of clients.filter(([, { invalid }]) => invalid !== undefined)) {
    logError("api-keys-invalid-client", { client: name });
  }
  return clients.flatMap(([name, { keys, tenant = name, quotas }]) =>
    keys.map((key, place) => ({
      name,
      tenant: tenantNamed(tenant),
      quotas,
      previousKey: place > 0,
      keyHash: hashOf(key),
    })),
  );
}

/** By way of a text: for a hash requested as a buffer, Node allocates memory outside of its heap. */
function hashOf(key: string): Buffer {
  return Buffer.from(hash("sha256", key), "hex");
}
