import { expect } from "@jest/globals";
import type fc from "fast-check";
import { type PatientModel, presence, type ThreadModel } from "./reference.ts";
import { type Client, type Ended, script, type World } from "./world.ts";

export type Command = fc.AsyncCommand<Client, World, true>;

/**
 * A command of one client.
 *
 * @param text how it is shown when a test fails
 * @param ready whether the client's part of the model has what it needs
 */
export function command(
  text: string,
  ready: (client: Client) => boolean,
  run: (client: Client, world: World) => Promise<void>,
): Command {
  return {
    check: async (client) => ready(client),
    run: async (client, world) => {
      world.service.model.script = script(world);
      await run(client, world);
    },
    toString: () => text,
  };
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
