import { randomUUID } from "node:crypto";
import { config } from "../config.ts";
import { allOf, anyOf, type Condition, equals, isAsRead, isAtMost, isBelow, isMissing } from "../dynamo/expressions.ts";
import { LIBRARY_SK, libraryKey, sourceKey, sourcesPartition } from "../dynamo/keys.ts";
import { queryItems, readItem } from "../dynamo/query.ts";
import { deleteItem, put, transact, update } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { LIBRARY_BYTES, MOST_SOURCES, type StoredSource } from "./source.ts";

/** The outcome of a write: `changed` if the source is not as it was read, `full` if the tenant's limits are reached. */
export type Written = "written" | "changed" | "too-many" | "full";

/**
 * Stores a source in place of the one that was read, and gives the library a new version in the same transaction.
 *
 * @param before as it was read; undefined if there was none
 * @throws the database's error if it is unreachable or stays busy, as all functions below
 */
export async function writeSource(
  tenant: Tenant,
  before: StoredSource | undefined,
  { id, ...source }: StoredSource,
): Promise<Written> {
  const item = { ...sourceKey(tenant, id), ...source };
  const growth = { sources: before ? 0 : 1, bytes: source.bytes - (before?.bytes ?? 0) };
  const refusal = await transact(() => ({
    source: put(config.sourcesTable, item, isAsRead("revision", before?.revision)),
    library: changeLibrary(tenant, growth),
  }));
  if (!refusal) {
    return "written";
  }
  const { source: refused, library } = refusal.failed;
  if (refused) {
    return refused.item?.revision === source.revision ? "written" : "changed"; // an earlier attempt has written it
  }
  return Number(library?.item?.sources ?? 0) + growth.sources > MOST_SOURCES ? "too-many" : "full";
}

/** Deletes a source as it was read. */
export async function deleteSource(tenant: Tenant, { id, revision, bytes }: StoredSource): Promise<Written> {
  const refusal = await transact(() => ({
    source: deleteItem(config.sourcesTable, sourceKey(tenant, id), equals("revision", revision)),
    library: changeLibrary(tenant, { sources: -1, bytes: -bytes }),
  }));
  const isGone = refusal?.uncertain && refusal.failed.source && !refusal.failed.source.item;
  return !refusal || isGone ? "written" : "changed";
}

function changeLibrary(tenant: Tenant, growth: { sources: number; bytes: number }) {
  const change = { set: { version: randomUUID() }, add: growth };
  const room = allOf(
    growth.sources > 0 ? isBelowOrMissing("sources", MOST_SOURCES) : undefined,
    growth.bytes > 0 ? anyOf(isMissing("bytes"), isAtMost("bytes", LIBRARY_BYTES - growth.bytes)) : undefined,
  );
  const isLimited = growth.sources > 0 || growth.bytes > 0;
  return update(config.sourcesTable, libraryKey(tenant), change, isLimited ? room : undefined);
}

function isBelowOrMissing(attribute: string, limit: number): Condition {
  return anyOf(isMissing(attribute), isBelow(attribute, limit));
}

/** @returns the source, read consistently; undefined if there is none with this id */
export async function readSource(tenant: Tenant, id: string): Promise<StoredSource | undefined> {
  const item = await readItem(config.sourcesTable, sourceKey(tenant, id));
  return item && toSource(item);
}

/** Returns all sources of a tenant by their ids, read consistently: one page of one query, because of the limits. */
export async function readStoredSources(tenant: Tenant): Promise<StoredSource[]> {
  const items = await Array.fromAsync(
    queryItems(config.sourcesTable, { keys: equals("pk", sourcesPartition(tenant)) }),
  );
  return items.filter(({ sk }) => sk !== LIBRARY_SK).map(toSource);
}

function toSource({ pk: _, sk, ...source }: Record<string, unknown>): StoredSource {
  return { ...source, id: sk } as StoredSource;
}
