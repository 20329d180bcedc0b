import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { TENANT } from "../helpers/caller.ts";
import { startTestDatabase, type TestDatabase } from "../helpers/database/database.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { requestLost } from "../helpers/database/faults.ts";
import { storedThread } from "../helpers/database/stored-thread.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Index queries per run: one for each shard. */
const LOOKUPS = 40;

let database: TestDatabase;
let sweepThreads: typeof import("../../shared/data-lifecycle/sweep-threads.ts").sweepThreads;
beforeAll(async () => {
  database = await startTestDatabase();
  ({ sweepThreads } = await import("../../shared/data-lifecycle/sweep-threads.ts"));
});
afterAll(() => database.stop());

let summaries: jest.SpiedFunction<typeof globalThis.console.info>;
beforeEach(() => {
  summaries = jest.spyOn(console, "info").mockReturnValue();
  database.faults.reset();
});
afterEach(() => {
  jest.restoreAllMocks();
});

let nextId = 0;
/** Seeds threads with 20 messages and the given time since the last activity. */
async function storeThreads(count: number, millisecondsAgo: number): Promise<void> {
  for (let stored = 0; stored < count; stored++) {
    const items = storedThread(TENANT, String(nextId++).padStart(5, "0"), Date.now() - millisecondsAgo);
    const [thread, ...turns] = items;
    await database.seed({ ...thread, countedFor: "a-client" }, ...turns); // a swept thread is not uncounted
  }
}

const sweep = () => sweepThreads(() => 9 * MINUTE);

describe("a sweep's database calls", () => {
  test.each([
    [0, 0],
    [10, 0],
    [40, 0],
    [40, 60],
  ])(
    "are three per expired thread, and four per ten for their turns, for %i expired and %i active threads",
    async (expired, alive) => {
      await storeThreads(alive, 0);
      await storeThreads(expired, 2 * HOUR);
      expect(await sweep()).toMatchObject({ removed: expired, complete: true });
      expect(database.faults.calls()).toBe(LOOKUPS + 3 * expired + (4 * expired) / 10);
    },
  );
});

describe("a sweep whose index query fails", () => {
  test("finishes the removals in progress, logs a summary and fails", async () => {
    for (let shard = 0; shard < 20; shard++) {
      const [thread, ...turns] = storedThread(TENANT, String(nextId++).padStart(5, "0"), Date.now() - 23 * HOUR);
      await database.seed({ ...thread, sweepShard: String(shard) }, ...turns);
    }
    const fails = ({ body }: Call) => body.IndexName && Number(body.ExpressionAttributeValues[":0"].S) >= 20;
    database.faults.fail(fails, requestLost, Number.POSITIVE_INFINITY);
    await expect(sweep()).rejects.toThrow();
    expect(summaries.mock.calls).toEqual([[{ event: "sweep", removed: 20, kept: 0, failed: 0, complete: false }]]);
  });
});
