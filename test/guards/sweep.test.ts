import { expect, test } from "@jest/globals";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { TENANT } from "../helpers/caller.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { storedThread } from "../helpers/database/stored-thread.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Index queries per run: one for each shard. */
const LOOKUPS = 40;

const storage = setUpStorage();

let nextId = 0;
/** Seeds threads with 20 messages and the given time since the last activity. */
async function storeThreads(count: number, millisecondsAgo: number): Promise<void> {
  for (let stored = 0; stored < count; stored++) {
    const items = storedThread(TENANT, String(nextId++).padStart(5, "0"), Date.now() - millisecondsAgo);
    const [thread, ...turns] = items;
    await storage.seed({ ...thread, countedFor: "a-client" }, ...turns); // a swept thread is not uncounted
  }
}

test.each([
  [0, 0],
  [10, 0],
  [40, 60],
])(
  "a sweep's calls are three per expired thread, and four per ten for their turns, for %i expired and %i active threads",
  async (expired, alive) => {
    await storeThreads(alive, 0);
    await storeThreads(expired, 2 * HOUR);
    storage.faults.reset();
    expect(await sweepThreads(() => 9 * MINUTE)).toMatchObject({ removed: expired, complete: true });
    const calls = storage.faults.calls(({ attempt }) => attempt === 1); // on a busy machine, the client repeats some
    expect(calls).toBe(LOOKUPS + 3 * expired + (4 * expired) / 10);
  },
);
