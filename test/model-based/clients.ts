import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addClients } from "../helpers/service/clients.ts";
import { startTestService } from "../helpers/service/service.ts";
import { anyCommand, PHONES } from "./commands.ts";
import { problemsOf } from "./history.ts";
import { deleteLeftSources } from "./sources.ts";
import { getThread } from "./threads.ts";
import { type Client, newPhone, script, type Tenant, type World } from "./world.ts";

/** The tenant of each client, by the client's name. */
const CLIENTS = { "Alder app": "Alder", "Alder desk": "Alder", "Birch app": "Birch", "Birch desk": "Birch" };
const MOST_COMMANDS = 120;
const IDLE_SECONDS = 3;
/** Each sweep makes 145 queries, which is a lot beside the clients' requests. */
const SWEEP_INTERVAL_SECONDS = 10;
/** How long a failure is made smaller before it is shown. */
const SHRINK_MILLISECONDS = 60_000;

/** Jest's own limit in this project: even a few steps take long on a busy machine. */
const TIMEOUT_MILLISECONDS = 300_000;

let world: World;
beforeAll(async () => {
  const { TEST_DYNAMODB_ENDPOINT } = process.env; // an empty database
  const service = await startTestService({
    ...(TEST_DYNAMODB_ENDPOINT && { DYNAMODB_ENDPOINT: TEST_DYNAMODB_ENDPOINT }),
    THREAD_IDLE_SECONDS: String(IDLE_SECONDS),
    SWEEP_INTERVAL_SECONDS: String(SWEEP_INTERVAL_SECONDS),
    SECRETS_CACHE_SECONDS: "1",
  });
  const entries = Object.entries(CLIENTS).map(([name, tenant]) => [name, { keys: [keyOf(name)], tenant }]);
  await addClients(service, Object.fromEntries(entries));
  let number = 0;
  const next = () => ++number;
  world = { service, idle: IDLE_SECONDS * 1000, tenants: [], asked: new Map(), steps: 0, next };
  service.model.script = script(world);
});
afterAll(() => world.service.stop());

const keyOf = (name: string) => `key-of-${name.replace(" ", "-")}`;

/** Runs one list of commands per client, all at once, and then checks what they did together. */
async function run(lists: Lists): Promise<void> {
  world.asked.clear();
  const numbers = PHONES.map(() => newPhone(world));
  world.tenants = [...new Set(Object.values(CLIENTS))].map((name) => ({
    name,
    threads: new Map(),
    patients: [],
    shared: [],
    sources: new Map(),
    phones: numbers.map((phone) => ({ phone, created: [], known: [] })),
  }));
  const clients = Object.entries(CLIENTS).map(([name, of]): Client => {
    const tenant = world.tenants.find((one) => one.name === of) as Tenant;
    return { name, key: keyOf(name), world, tenant, threads: [], patients: [], desks: [] };
  });
  for (const client of clients) {
    await deleteLeftSources(client);
  }
  const ends = await Promise.allSettled(
    clients.map((client, index) => fc.asyncModelRun(() => ({ model: client, real: undefined }), lists[index] ?? [])),
  );
  for (const end of ends) {
    if (end.status === "rejected") {
      throw end.reason;
    }
  }
  for (const client of clients) {
    await Promise.all(client.tenant.shared.map((thread) => thread && getThread(thread, client)));
  }
  for (const { threads, phones } of world.tenants) {
    expect([...threads.values()].flatMap((thread) => problemsOf(thread, world.idle))).toEqual([]);
    for (const { created, known } of phones) {
      expect(created.length).toBe(created.length + known.length > 0 ? 1 : 0);
      expect(new Set([...created, ...known]).size).toBeLessThanOrEqual(1);
    }
  }
}

type Lists = Iterable<fc.AsyncCommand<Client, undefined, true>>[];

/**
 * Declares a test in which clients of two tenants carry out random commands at once, and every response is compared
 * with a simple model of the service.
 *
 * @param steps the least number of requests to compare
 * @param seed decides which commands the clients carry out
 */
export function testAgainstModel(steps: number, seed: number): void {
  const count = Object.keys(CLIENTS).length;
  test(
    `${count} clients at once see what a simple model of the service says, and nothing of other tenants, for ${steps} steps`,
    async () => {
      let failedAt = Number.POSITIVE_INFINITY;
      const commands = fc.commands([anyCommand()], { maxCommands: MOST_COMMANDS, size: "max", disableReplayLog: true });
      const property = fc.asyncProperty(fc.array(commands, { minLength: count, maxLength: count }), async (lists) => {
        if (world.steps >= steps || Date.now() > failedAt + SHRINK_MILLISECONDS) {
          return;
        }
        try {
          await run(lists);
        } catch (error) {
          failedAt = Math.min(failedAt, Date.now());
          throw error;
        }
      });
      await fc.assert(property, { seed, numRuns: steps });
      expect(world.steps).toBeGreaterThanOrEqual(steps);
    },
    TIMEOUT_MILLISECONDS + steps * 200,
  );
}
