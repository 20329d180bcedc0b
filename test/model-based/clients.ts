import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { startTestService, type TestService } from "../helpers/service/service.ts";
import { anyCommand } from "./commands.ts";
import { checkHistory } from "./shared-history.ts";
import { read } from "./shared-threads.ts";
import { type Client, newPhone, script, type World } from "./world.ts";

const CLIENTS = 4;
const MOST_COMMANDS = 120;
const IDLE_SECONDS = 3;
/** Each sweep makes 145 queries, which is a lot beside the clients' requests. */
const SWEEP_INTERVAL_SECONDS = 10;
/** How long a failure is made smaller before it is shown. */
const SHRINK_MILLISECONDS = 60_000;

let service: TestService;
let world: World;
beforeAll(async () => {
  const { TEST_DYNAMODB_ENDPOINT } = process.env; // an empty database
  service = await startTestService({
    ...(TEST_DYNAMODB_ENDPOINT && { DYNAMODB_ENDPOINT: TEST_DYNAMODB_ENDPOINT }),
    THREAD_IDLE_SECONDS: String(IDLE_SECONDS),
    SWEEP_INTERVAL_SECONDS: String(SWEEP_INTERVAL_SECONDS),
  });
  let number = 0;
  world = {
    service,
    idle: IDLE_SECONDS * 1000,
    threads: new Map(),
    asked: new Map(),
    slots: [],
    shared: [],
    phones: [],
    steps: 0,
    next: () => ++number,
  };
  service.model.script = script(world);
});
afterAll(() => service.stop());

/** Runs one list of commands per client, all at once, and then checks what they did together. */
async function run(lists: Lists): Promise<void> {
  world.asked.clear();
  world.slots = [];
  world.shared = [];
  world.phones = [newPhone(world), newPhone(world)].map((phone) => ({ phone, created: [], known: [] }));
  const ends = await Promise.allSettled(
    lists.map((commands, index) => {
      const client: Client = { name: `client ${index}`, threads: [], patients: [] };
      return fc.asyncModelRun(() => ({ model: client, real: world }), commands);
    }),
  );
  for (const end of ends) {
    if (end.status === "rejected") {
      throw end.reason;
    }
  }
  for (const slot of world.shared) {
    await read(world, slot);
    checkHistory(slot, world.idle);
  }
  for (const { created, known } of world.phones) {
    expect(created.length).toBe(created.length + known.length > 0 ? 1 : 0);
    expect(new Set([...created, ...known]).size).toBeLessThanOrEqual(1);
  }
}

type Lists = Iterable<fc.AsyncCommand<Client, World, true>>[];

/**
 * Declares a test in which clients carry out random commands at once, and every response is compared with a simple model
 * of the service.
 *
 * @param steps the least number of requests to compare
 * @param seed decides which commands the clients carry out
 */
export function testAgainstModel(steps: number, seed: number): void {
  test(
    `${CLIENTS} clients at once see what a simple model of the service says, for ${steps} steps`,
    async () => {
      let failedAt = Number.POSITIVE_INFINITY;
      const commands = fc.commands([anyCommand()], { maxCommands: MOST_COMMANDS, size: "max", disableReplayLog: true });
      const property = fc.asyncProperty(
        fc.array(commands, { minLength: CLIENTS, maxLength: CLIENTS }),
        async (lists) => {
          if (world.steps >= steps || Date.now() > failedAt + SHRINK_MILLISECONDS) {
            return;
          }
          try {
            await run(lists);
          } catch (error) {
            failedAt = Math.min(failedAt, Date.now());
            throw error;
          }
        },
      );
      await fc.assert(property, { seed, numRuns: steps });
      expect(world.steps).toBeGreaterThanOrEqual(steps);
    },
    steps * 200,
  );
}
