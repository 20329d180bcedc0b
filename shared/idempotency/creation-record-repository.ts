import { config } from "../config.ts";
import type { Result } from "../contract/endpoint.ts";
import { anyOf, equals, isAbsent, isAtMost } from "../dynamo/expressions.ts";
import { CREATION_RECORD_SK, creationRecordKey } from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { deleteItem, put } from "../dynamo/transact.ts";
import { ServiceError } from "../errors.ts";
import type { Caller } from "../request/caller.ts";
import type { PhoneLookup } from "../request/request-context.ts";
import { bodyHash, KEY_REUSED } from "./idempotency.ts";

/** How long a response is stored for retries of its request. */
const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000;

/** A stored response: the result of the use case, and what the request's context knew about it. */
export interface StoredResponse extends Result<unknown> {
  models?: string[];
  phoneLookup?: PhoneLookup | undefined;
}

/** A request that creates a resource, with an idempotency key. */
export interface CreationRequest {
  /** The key of its record, which is in the threads table: that one has no backups and no point-in-time recovery. */
  record: { pk: string; sk: string };
  bodyHash: string;
}

/** @param key a hash; undefined for a request without a key, which has no record */
export function creationRequest(
  { tenant, operation }: Caller,
  key: string | undefined,
  body: unknown,
): CreationRequest | undefined {
  return key === undefined
    ? undefined
    : { record: creationRecordKey(tenant, operation, key), bodyHash: bodyHash(body) };
}

/**
 * Looks up the response to an earlier request with the same key.
 *
 * @returns undefined if there is none, or if the created resource has been deleted since
 * @throws ServiceError `unprocessable` if that request had another body; the database's errors
 */
export async function readCreation(request: CreationRequest): Promise<StoredResponse | undefined> {
  const stored = await readItem(config.threadsTable, request.record);
  if (!stored || Number(stored.ttl) <= seconds(Date.now())) {
    return undefined;
  }
  if (stored.bodyHash !== request.bodyHash) {
    throw new ServiceError("unprocessable", KEY_REUSED);
  }
  return JSON.parse(String(stored.response));
}

/**
 * The part of a creation that stores its response, on condition that no other request with the key has created a
 * resource.
 *
 * @param owner identifies the created resource: a patient's id, a thread's generation
 */
export function putCreation(request: CreationRequest, owner: string, response: StoredResponse) {
  const now = Date.now();
  const item = {
    ...request.record,
    bodyHash: request.bodyHash,
    owner,
    response: JSON.stringify(response),
    ttl: seconds(now + KEPT_MILLISECONDS),
  };
  return put(config.threadsTable, item, anyOf(isAbsent, isAtMost("ttl", seconds(now))));
}

/**
 * The part of a deletion that ends the replay. Its condition fails if the record has expired and another request with
 * the key has replaced it; the deletion must then be retried without this part.
 */
export function deleteCreation(pk: string, owner: string) {
  return deleteItem(config.threadsTable, { pk, sk: CREATION_RECORD_SK }, anyOf(isAbsent, equals("owner", owner)));
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
