import type { Tenant } from "../tenant.ts";
import { passagesOf } from "./passages.ts";
import { indexOf, type SearchIndex } from "./search-index.ts";
import { isExpired } from "./source.ts";
import { readLibraryVersion, readSources } from "./source-repository.ts";

/** The indexes in memory: those of the last few tenants, at most about 4 MB each. */
const MOST_INDEXES = 8;

/** A tenant's index, of one version and one day, because sources expire at the end of a day. */
interface Loaded {
  version: string;
  day: string;
  index: SearchIndex;
}

/** The least recently used comes first. */
const indexes = new Map<Tenant, Loaded>();

/**
 * Returns the index of a tenant's sources, as they are now: from memory unless they have changed. A request of the
 * version alone, half a read unit, tells that.
 *
 * The version is read before the sources. If they change in between, the index is newer than its version, and is built
 * again next time; it can never be older.
 *
 * @returns undefined for a tenant without sources
 * @throws the database's error
 */
export async function loadLibrary(tenant: Tenant, now = new Date()): Promise<SearchIndex | undefined> {
  const version = await readLibraryVersion(tenant);
  const known = indexes.get(tenant);
  indexes.delete(tenant);
  if (version === undefined) {
    return undefined;
  }
  const day = now.toISOString().slice(0, "2026-11-24".length);
  const isCurrent = known?.version === version && known.day === day;
  const loaded = isCurrent ? known : { version, day, index: await build(tenant, now.getTime()) };
  indexes.set(tenant, loaded);
  for (const [tenantBefore] of indexes) {
    if (indexes.size > MOST_INDEXES) {
      indexes.delete(tenantBefore);
    }
  }
  return loaded.index;
}

async function build(tenant: Tenant, now: number): Promise<SearchIndex> {
  const sources = await readSources(tenant);
  return indexOf(sources.filter((source) => !isExpired(source, now)).flatMap(passagesOf));
}
