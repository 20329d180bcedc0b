import { setImmediate } from "node:timers/promises";
import { describeError, logWarning } from "../observability/logger.ts";
import type { Tenant } from "../tenant.ts";
import { readSources } from "./read-sources.ts";
import { IndexBuilder, type SearchIndex } from "./search-index.ts";
import { readStoredSources } from "./source-repository.ts";

/** The libraries in memory: those of the last few tenants, at most about 4 MB each. */
const MOST_LIBRARIES = 8;

/** What a chat can find in a tenant's sources. */
export interface Library {
  index: SearchIndex;
  /** How many sources could not be used. */
  unusable: number;
}

/** A library of one version and one day, because sources expire at the end of a day. */
interface Loaded {
  version: string;
  day: string;
  library: Library;
}

/** The least recently used comes first. */
const libraries = new Map<Tenant, Loaded>();

/**
 * Returns the library of a tenant's sources: from memory unless they have changed.
 *
 * The version is read before the sources. If they change in between, the library is newer than its version, and is built
 * again next time; it can never be older.
 *
 * @param version of the sources (`profile/profile-repository.ts`); undefined for a tenant without any
 * @returns undefined for a tenant without sources
 * @throws the database's error
 */
export async function loadLibrary(
  tenant: Tenant,
  version: string | undefined,
  now = new Date(),
): Promise<Library | undefined> {
  const known = libraries.get(tenant);
  libraries.delete(tenant);
  if (version === undefined) {
    return undefined;
  }
  const day = now.toISOString().slice(0, "2026-11-24".length);
  const isCurrent = known?.version === version && known.day === day;
  const loaded = isCurrent ? known : { version, day, library: await build(tenant, now.getTime()) };
  libraries.set(tenant, loaded);
  const [first] = libraries.keys();
  if (libraries.size > MOST_LIBRARIES && first !== undefined) {
    libraries.delete(first);
  }
  return loaded.library;
}

/** Indexes source by source, so that one that fails costs only itself, and others get their turn in between. */
async function build(tenant: Tenant, now: number): Promise<Library> {
  const index = new IndexBuilder();
  let unusable = 0;
  for (const { source, passages } of readSources(await readStoredSources(tenant), now)) {
    await setImmediate();
    try {
      index.add(passages ?? []);
      unusable += passages ? 0 : 1;
    } catch (error) {
      logWarning("source-unreadable", { sourceId: source.id, ...describeError(error) });
      unusable++;
    }
  }
  return { index: index.build(), unusable };
}
