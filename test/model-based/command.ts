import { expect } from "@jest/globals";
import fc from "fast-check";
import { type PatientModel, presence, type ThreadModel } from "./reference.ts";
import type { Client, Ended, World } from "./world.ts";

export type Command = fc.WeightedArbitrary<fc.AsyncCommand<Client, World, true>>;

/**
 * A command on one of several subjects, such as the client's threads; it is left out while there are none.
 *
 * @param weight how often it is chosen, relative to the others
 * @param subjects what it may be about
 * @param args what else it is given, at random
 */
export function on<S, A extends unknown[]>(
  weight: number,
  subjects: (client: Client) => readonly S[],
  run: (subject: S, client: Client, world: World, ...args: A) => Promise<void>,
  args: fc.Arbitrary<A>,
): Command {
  const arbitrary = fc.tuple(fc.nat(20), args).map(([which, chosen]) => ({
    check: async (client: Client) => subjects(client).length > 0,
    run: async (client: Client, world: World) => {
      const all = subjects(client);
      await run(all[which % all.length] as S, client, world, ...chosen);
    },
    toString: () => `${run.name}(${[which, ...chosen].map((value) => fc.stringify(value)).join(", ")})`,
  }));
  return { weight, arbitrary };
}

/** The threads of a client that are there, as far as it knows. */
export function openThreads({ threads }: Client): ThreadModel[] {
  return threads.filter(({ gone }) => !gone);
}

/** The threads that most commands choose from: older ones are left to expire. */
export function threadsInUse(client: Client): ThreadModel[] {
  return openThreads(client).slice(-4);
}

export function patientsOf({ patients }: Client): PatientModel[] {
  return patients;
}

/** Notes a thread that was just created, whose id must have been free. */
export function newThread(world: World, reply: Ended, patient: PatientModel | undefined): ThreadModel {
  const { status, body, interval } = reply;
  expect(status).toBe(201);
  const opening = patient && !patient.complete;
  expect(body.messageCount).toBe(opening ? 2 : 0);
  expect("initialMessage" in body).toBe(opening === true);
  const earlier = world.threads.get(body.threadId);
  if (earlier && !earlier.reused) {
    const deleted = earlier.deletedFrom < interval.end;
    expect(deleted ? "free" : presence(earlier, interval, world.idle)).not.toBe("present");
    earlier.reused = true;
  }
  const thread: ThreadModel = {
    id: body.threadId,
    patient,
    about: patient,
    turns: opening ? [{ question: undefined, answer: body.initialMessage }] : [],
    keyed: [],
    createdAt: undefined,
    activity: interval,
    gone: false,
    deletedFrom: Number.POSITIVE_INFINITY,
    reused: false,
  };
  world.threads.set(thread.id, thread);
  return thread;
}
