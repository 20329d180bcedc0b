import { hash, timingSafeEqual } from "node:crypto";
import { config } from "../config.ts";
import { OperatorError } from "../errors.ts";
import { secretsFailure } from "../failure-kind.ts";
import { describeError, logError } from "../logger.ts";
import { readSecret } from "../secrets.ts";
import { parseClientKeys } from "./client-keys.ts";

/** How soon after a read an unknown key may cause another: a new key works within seconds, and guessing costs nothing. */
const REREAD_MILLISECONDS = 5_000;

/** Who calls, as the key shows. */
export interface Client {
  name: string;
  /** Whether the key is one that another has taken the place of, and that works until the overlap is ended. */
  previousKey: boolean;
}

interface Candidate extends Client {
  keyHash: Buffer;
}

let candidates: Candidate[] | undefined;
let readFrom: string | undefined;

/**
 * Finds the client an API key belongs to. Keys are compared as hashes and in constant time, all of them, so neither a
 * key's length nor its place can be learned from how long an answer takes.
 *
 * Only the secret's current version counts, so that a key that was taken out of it is worth nothing; two keys of one
 * client that are to work side by side both stand in it. While Secrets Manager is out of reach, or the secret is broken,
 * the keys known last go on working.
 *
 * @returns undefined when nobody has that key
 * @throws OperatorError when the secret is missing or no JSON object; the client's error when no key was ever read and
 *   Secrets Manager cannot be reached
 */
export async function findClient(key: string): Promise<Client | undefined> {
  const keyHash = hash("sha256", key, "buffer");
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
 * Reads the API keys, unless they are known.
 *
 * @param maxAge how old they may be, in milliseconds; the usual cache time when not given
 * @throws as {@link findClient} says
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
      new OperatorError("The secret of the API keys does not exist; deploy the stack again, it creates it."),
    );
  }
  return [...parseClientKeys(secret)].flatMap(([name, keys]) =>
    keys.map((key, place) => ({ name, previousKey: place > 0, keyHash: hash("sha256", key, "buffer") })),
  );
}
