import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { RandomClients } from "../helpers/database/random-clients.ts";
import { seededRandom } from "../helpers/database/random-faults.ts";
import { describeOnPosix } from "../helpers/posix.ts";
import { processes } from "../helpers/processes.ts";
import { callsByHttp } from "../helpers/service/calls-by-http.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

/** `CLIENT_STEPS=10000 CLIENT_SEED=1 npm run test:long -- killed-functions` makes more steps, with other choices. */
const STEPS = Number(process.env.CLIENT_STEPS ?? 3_000);
const SEED = Number(process.env.CLIENT_SEED ?? Date.now());

/** Between two of them, on average. */
const KILL_MILLISECONDS = 250;
const MOST_HELD_MILLISECONDS = 3_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SWEEP_INTERVAL_SECONDS: "1" });
});
afterAll(() => service.stop());

/** The processes of this service's functions, which run Lambda's own runtime client. */
const functions = () =>
  processes().filter(({ parent, command }) => parent === process.pid && command.includes("aws-lambda-ric"));

/**
 * Kills processes of functions, as happens to one that runs out of memory, until it is ended; every other one is only
 * held up for a while, and goes on after its client has repeated the request.
 */
function killAtRandom(random: () => number): { end(): number } {
  let [kills, ended] = [0, false];
  const kill = async () => {
    while (!ended) {
      await setTimeout(random() * 2 * KILL_MILLISECONDS);
      const all = functions();
      const victim = all[Math.floor(random() * all.length)];
      if (victim && !ended && random() < 0.5) {
        process.kill(victim.pid, "SIGKILL");
        kills++;
      } else if (victim && !ended) {
        void holdUp(victim.pid, random() * MOST_HELD_MILLISECONDS);
      }
    }
  };
  void kill();
  return {
    end: () => {
      ended = true;
      return kills;
    },
  };
}

async function holdUp(pid: number, milliseconds: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await setTimeout(milliseconds);
  if (functions().some((one) => one.pid === pid)) {
    process.kill(pid, "SIGCONT");
  }
}

describeOnPosix("with functions that are killed or held up", () => {
  test(`in ${STEPS} steps of clients at once, no turn is lost or answered twice, no thread is stranded, and nothing deleted stays`, async () => {
    const random = seededRandom(SEED);
    const calls = callsByHttp(service);
    const clients = new RandomClients(calls, service.model, random);
    const killing = killAtRandom(random);
    let kills = 0;
    await clients.run(STEPS, () => {
      kills = killing.end();
    });
    calls.close();
    const { done, wrong } = clients;
    expect({ seed: SEED, ...done, wrong }).toEqual({ seed: SEED, ...done, wrong: [] });
    expect(kills).toBeGreaterThan(STEPS / 100);
    if (STEPS >= 1_000) {
      expect(Object.keys(done).filter((name) => name.endsWith("failure"))).not.toEqual([]); // in few steps, none may be hit
    }
  }, 3_600_000);
});
