import { hash, timingSafeEqual } from "node:crypto";
import { config } from "../config.ts";
import { OperatorError } from "../errors.ts";
import { describeError, logError } from "../logger.ts";
import { readSecret } from "../secrets.ts";

/** How soon after a read an unknown key may cause another: a new key works within seconds, and guessing costs nothing. */
const REREAD_MILLISECONDS = 5_000;

interface Client {
  name: string;
  keyHash: Buffer;
}

let clients: Client[] | undefined;
let readFrom: [current: string | undefined, previous: string | undefined] | undefined;

/**
 * Finds the client an API key belongs to. Keys are compared as hashes and in constant time, all of them, so neither a
 * key's length nor its place can be learned from how long an answer takes.
 *
 * Keys of the secret's previous version are accepted too, so that a rotation does not lock out clients that have not
 * changed over yet. While Secrets Manager is out of reach, or the secret is broken, the keys known last go on working.
 *
 * @returns the client's name, or undefined when nobody has that key
 * @throws OperatorError when the secret is missing or no JSON object of strings; the client's error when no key was
 *   ever read and Secrets Manager cannot be reached
 */
export async function findClient(key: string): Promise<string | undefined> {
  const keyHash = hashOf(key);
  const known = match(await loadApiKeys(), keyHash);
  return known ?? match(await loadApiKeys(REREAD_MILLISECONDS), keyHash);
}

function match(candidates: Client[], keyHash: Buffer): string | undefined {
  let name: string | undefined;
  for (const candidate of candidates) {
    if (timingSafeEqual(candidate.keyHash, keyHash)) {
      name ??= candidate.name;
    }
  }
  return name;
}

/**
 * Reads the API keys, unless they are known.
 *
 * @param maxAge how old they may be, in milliseconds; the usual cache time when not given
 * @throws as {@link findClient} says
 */
export async function loadApiKeys(maxAge?: number): Promise<Client[]> {
  const [current, previous] = await Promise.all([
    readSecret(config.apiKeysSecret, "AWSCURRENT", maxAge),
    readSecret(config.apiKeysSecret, "AWSPREVIOUS", maxAge),
  ]);
  if (!clients || readFrom?.[0] !== current || readFrom?.[1] !== previous) {
    try {
      clients = parseVersions(current, previous);
    } catch (error) {
      if (!clients) {
        throw error;
      }
      logError("api-keys-unreadable", describeError(error));
    }
    readFrom = [current, previous];
  }
  return clients;
}

function parseVersions(current: string | undefined, previous: string | undefined): Client[] {
  if (current === undefined) {
    throw new OperatorError("The secret of the API keys does not exist; deploy the stack again, it creates it.");
  }
  return [...parse(current), ...(previous === undefined ? [] : parse(previous))];
}

/** Reads `{"client name": "key", …}`. */
function parse(secret: string): Client[] {
  let keys: unknown;
  try {
    keys = JSON.parse(secret);
  } catch {
    keys = undefined;
  }
  if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
    throw new OperatorError('The secret of the API keys must be a JSON object, {"client name": "key"}; correct it.');
  }
  return Object.entries(keys)
    .filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "")
    .map(([name, key]) => ({ name, keyHash: hashOf(key) }));
}

function hashOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}
