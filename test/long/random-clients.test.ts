import { beforeEach, expect, jest, test } from "@jest/globals";
import { setUpChats } from "../helpers/database/chats.ts";
import { callsInProcess } from "../helpers/database/client-calls.ts";
import { RandomClients } from "../helpers/database/random-clients.ts";
import { randomFaults, seededRandom } from "../helpers/database/random-faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

/** `CLIENT_STEPS=10000 CLIENT_SEED=1 npm run test:long -- random-clients` makes more steps, with other choices. */
const STEPS = Number(process.env.CLIENT_STEPS ?? 3_000);
const SEED = Number(process.env.CLIENT_SEED ?? Date.now());

/** Short, so that the lease of a reservation that could not be released expires soon. */
const INVOCATION_MILLISECONDS = 9_000;

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(async () => {
  jest.spyOn(Math, "random").mockReturnValue(0.01); // short waits before retries
  await storage.clear();
});

const PROMISE =
  "no lost and no second turn, none about another patient, none of the model after a hold, none whole that was stopped";

test(`${STEPS} steps of clients at once: ${PROMISE}`, async () => {
  const clients = new RandomClients(callsInProcess(storage, chats), chats.model, seededRandom(SEED));
  await clients.run(STEPS, () => {});
  expectAllDone(clients);
  expect(Object.keys(clients.done).filter((name) => name.endsWith("failure"))).toEqual([]);
}, 3_600_000);

test(`${STEPS} steps of clients at once under random faults of the database: ${PROMISE}`, async () => {
  const random = seededRandom(SEED);
  const calls = callsInProcess(storage, chats, INVOCATION_MILLISECONDS);
  const clients = new RandomClients(calls, chats.model, random);
  const { fault, injected } = randomFaults(random);
  storage.faults.fail("all", fault, Number.POSITIVE_INFINITY);
  await clients.run(STEPS, () => storage.faults.reset());
  expectAllDone(clients);
  expect(injected()).toBeGreaterThan(STEPS / 4);
}, 3_600_000);

function expectAllDone({ done, wrong }: RandomClients): void {
  expect({ seed: SEED, ...done, wrong }).toEqual({ seed: SEED, ...done, wrong: [] }); // a failure prints the whole run
  expect(done.chat).toBeGreaterThan(STEPS / 5);
  for (const name of ["write", "hold", "return", "stop", "remove"]) {
    expect(done[name]).toBeGreaterThan(STEPS / 200);
  }
}
