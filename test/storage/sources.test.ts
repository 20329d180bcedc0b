import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ulid } from "ulid";
import { config } from "../../shared/config.ts";
import { dynamo } from "../../shared/dynamo/client.ts";
import { libraryKey } from "../../shared/dynamo/keys.ts";
import { readItem } from "../../shared/dynamo/query.ts";
import { put, transact } from "../../shared/dynamo/transact.ts";
import { loadTenantState } from "../../shared/profile/load-clinic.ts";
import { loadLibrary } from "../../shared/sources/library.ts";
import { putSource, removeSource } from "../../shared/sources/manage-sources.ts";
import { LIBRARY_BYTES, MOST_SOURCES } from "../../shared/sources/source.ts";
import { readStoredSources } from "../../shared/sources/source-repository.ts";
import type { Tenant } from "../../shared/tenant.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { watchDatabase } from "../helpers/database/usage.ts";

setUpStorage();

/** A tenant of its own for each test, and what its client does. */
function newClinic() {
  const tenant = tenantNamed(`clinic-${ulid().toLowerCase()}`);
  const context = () => newContext({ ...CALLER, tenant });
  return {
    tenant,
    store: (id: string, text: string) => putSource(context(), id, { title: `About ${id}`, text }),
    remove: (id: string) => removeSource(context(), id),
  };
}

/** The limits are counted beside the sources: the counts have to be those of what is stored. */
async function expectCounted(tenant: Tenant): Promise<void> {
  const sources = await readStoredSources(tenant);
  const bytes = sources.reduce((sum, source) => sum + Buffer.byteLength(source.text), 0);
  expect(await readItem(config.sourcesTable, libraryKey(tenant))).toMatchObject({ sources: sources.length, bytes });
}

test("of writes of one source at once, one is last, and the limits count it once", async () => {
  const { tenant, store } = newClinic();
  const texts = Array.from({ length: 6 }, (_, index) => "Open. ".repeat(index + 1));
  await Promise.all(texts.map((text) => store("hours", text)));
  expect(texts).toContain((await readStoredSources(tenant))[0]?.text);
  await expectCounted(tenant);
});

test("of a write and a deletion at once, both succeed, and the limits count what is left", async () => {
  const { tenant, store, remove } = newClinic();
  for (let round = 0; round < 5; round++) {
    await store("hours", "Open from 8.");
    await Promise.all([store("hours", "Closed on Mondays."), remove("hours"), store("parking", "Two free hours.")]);
    await expectCounted(tenant);
  }
});

test("of two deletions at once, one is a 404, and the limits count one", async () => {
  const { tenant, store, remove } = newClinic();
  await store("hours", "Open from 8.");
  const ends = await Promise.allSettled([remove("hours"), remove("hours")]);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({ reason: { kind: "not-found" } });
  await expectCounted(tenant);
});

test("of several new sources at once, only as many are stored as there can be", async () => {
  const { tenant, store } = newClinic();
  const key = libraryKey(tenant);
  await transact(() => ({
    library: put(config.sourcesTable, { ...key, sources: MOST_SOURCES - 2, bytes: 0, version: "before" }),
  }));
  const ends = await Promise.allSettled(["a", "b", "c", "d", "e"].map((id) => store(id, "Open.")));
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(await readStoredSources(tenant)).toHaveLength(2);
  expect(await readItem(config.sourcesTable, key)).toMatchObject({ sources: MOST_SOURCES });
});

test("a source that does not fit into the library any more is refused", async () => {
  const { tenant, store } = newClinic();
  const library = put(config.sourcesTable, {
    ...libraryKey(tenant),
    sources: 1,
    bytes: LIBRARY_BYTES,
    version: "before",
  });
  await transact(() => ({ library }));
  await expect(store("hours", "Open.")).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringMatching(/MB/),
  });
  expect(await readStoredSources(tenant)).toEqual([]);
});

/** As a chat loads them: the version before the sources. */
async function currentLibrary(tenant: Tenant) {
  return loadLibrary(tenant, (await loadTenantState(tenant)).libraryVersion);
}

describe("a chat that loads the sources while they change", () => {
  beforeAll(() => {
    process.env.SOURCES_CACHE_SECONDS = "0";
  });
  afterAll(() => {
    delete process.env.SOURCES_CACHE_SECONDS;
  });

  /** A source with several passages, each of which says the version. */
  const handbook = (version: string) =>
    ["Hours", "Parking", "Refills"].map((heading) => `# ${heading}\nThe clinic says ${version}.`).join("\n\n");

  test("gets all passages of a source from one version, and never one before the last that it has seen", async () => {
    const { tenant, store } = newClinic();
    let stored = 0;
    await store("handbook", handbook("version0"));
    const write = async () => {
      for (let version = 1; version <= 12; version++) {
        await store("handbook", handbook(`version${version}`));
        stored = version;
      }
    };
    const read = async () => {
      const seen: number[] = [];
      while (stored < 12) {
        const before = stored;
        const passages = (await currentLibrary(tenant))?.index.find("What does the clinic say about hours?") ?? [];
        const versions = new Set(passages.map(({ text }) => Number(/version(\d+)/.exec(text)?.[1])));
        expect(versions.size).toBe(1);
        const [version = Number.NaN] = versions;
        expect(version).toBeGreaterThanOrEqual(before);
        seen.push(version);
      }
      return seen;
    };
    const [, first, second] = await Promise.all([write(), read(), read()]);
    expect(first).toEqual([...first].sort((a, b) => a - b));
    expect(second).toEqual([...second].sort((a, b) => a - b));
  });

  test("finds nothing of a source that was deleted while it was loaded, from the next message on", async () => {
    const { tenant, store, remove } = newClinic();
    await store("parking", "The garage has two free hours.");
    for (let round = 0; round < 5; round++) {
      await store("hours", "We are open from 8 to 18.");
      await Promise.all([currentLibrary(tenant), remove("hours"), currentLibrary(tenant)]);
      expect((await currentLibrary(tenant))?.index.find("When are you open?")).toEqual([]);
    }
  });
});

test("their version is read once in two seconds, also for a clinic that has none, and a change is seen after that", async () => {
  const { tenant, store, remove } = newClinic();
  const at = (milliseconds: number) => loadTenantState(tenant, Date.UTC(2026, 0, 5, 12) + milliseconds);
  const usage = watchDatabase(dynamo);
  const reads = async (from: number, to: number) => {
    const found = [];
    for (let time = from; time <= to; time += 100) {
      found.push((await at(time)).libraryVersion !== undefined);
    }
    return [new Set(found).values().next().value, new Set(found).size, usage().calls];
  };
  expect(await reads(0, 1_900)).toEqual([false, 1, 1]);
  await store("hours", "Open from 8.");
  usage();
  expect(await reads(1_950, 1_999)).toEqual([false, 1, 0]);
  expect(await reads(2_000, 3_900)).toEqual([true, 1, 1]);
  expect(await reads(4_000, 5_900)).toEqual([true, 1, 1]);
  await remove("hours");
  usage();
  expect(await reads(6_000, 7_900)).toEqual([false, 1, 1]);
  expect(await reads(0, 0)).toEqual([false, 1, 1]); // a clock that was set back remembers nothing

  await store("hours", "Open from 8.");
  usage();
  await loadLibrary(tenant, "first");
  await loadLibrary(tenant, "first");
  expect(usage().calls).toBe(1); // the sources themselves are read again only if their version has changed
  await loadLibrary(tenant, "second");
  expect(usage().calls).toBe(1);
});
