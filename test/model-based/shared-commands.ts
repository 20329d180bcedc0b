import { expect } from "@jest/globals";
import fc from "fast-check";
import { openStream } from "../helpers/service/event-stream.ts";
import { type Command, command, newThread } from "./command.ts";
import { agree } from "./reference.ts";
import type { SharedThread } from "./shared-history.ts";
import { answerTo, type Client, call, chat, lastAsked, message, notation, type World } from "./world.ts";

/** Threads that all clients use at once. */
const SLOTS = 3;

async function slotOf(world: World, client: Client, choice: number): Promise<SharedThread> {
  const index = choice % SLOTS;
  const slot = world.slots[index];
  if (slot && !slot.thread.gone) {
    return slot;
  }
  const reply = await call(world, "POST", "/threads", { body: { metadata: { source: client.name } } });
  const made = { thread: newThread(world, reply, undefined), history: [] };
  world.slots[index] = made; // of clients that do this at once, one has its thread forgotten, which may happen
  world.shared.push(made);
  return made;
}

/** All use a thread until one of them finds it gone. */
function note(slot: SharedThread, found: boolean): void {
  slot.thread.gone ||= !found;
}

async function chatOnShared(client: Client, world: World, choice: number, streamed: boolean): Promise<void> {
  const slot = await slotOf(world, client, choice);
  const question = message(world, client);
  const { status, body, interval } = await chat(world, { message: question, threadId: slot.thread.id }, { streamed });
  expect([200, 404]).toContain(status);
  const stored = status === 200;
  if (stored) {
    expect(body).toMatchObject({ response: answerTo(question), threadId: slot.thread.id });
  }
  const { context } = lastAsked(world, question);
  slot.history.push({ kind: "chat", question, count: stored ? body.messageCount : undefined, context, ...interval });
  note(slot, stored);
}

async function abandonOnShared(client: Client, world: World, choice: number): Promise<void> {
  const slot = await slotOf(world, client, choice);
  const question = message(world, client, "slow");
  const start = Date.now();
  world.steps++;
  const stream = await openStream(world.service, { message: question, threadId: slot.thread.id });
  if (stream.status === 200) {
    slot.history.push({ kind: "abandoned chat", question, start, end: Number.POSITIVE_INFINITY });
    await stream.next();
  }
  stream.hangUp();
}

async function readShared(client: Client, world: World, choice: number): Promise<void> {
  const slot = await slotOf(world, client, choice);
  await read(world, slot);
}

/** Reads a shared thread, for its history. */
export async function read(world: World, slot: SharedThread): Promise<void> {
  const { status, body, interval } = await call(world, "GET", `/threads/${slot.thread.id}`);
  slot.history.push({ kind: "read", count: status === 200 ? body.thread.messageCount : undefined, ...interval });
  note(slot, status === 200);
}

async function deleteShared(client: Client, world: World, choice: number): Promise<void> {
  const slot = await slotOf(world, client, choice);
  slot.thread.deletedFrom = Math.min(slot.thread.deletedFrom, Date.now());
  const { status, interval } = await call(world, "DELETE", `/threads/${slot.thread.id}`);
  slot.history.push({ kind: "deletion", done: status === 200, ...interval });
  note(slot, false);
}

/** Of all who register a number, one creates the patient, and the others are told of that one. */
async function registerShared(_: Client, world: World, choice: number): Promise<void> {
  const number = world.phones[choice % world.phones.length] as World["phones"][number];
  const { status, body } = await call(world, "POST", "/patients", {
    body: { phone_number: notation(number.phone, choice), age: 40, gender: "male" },
  });
  expect([201, 409]).toContain(status);
  (status === 201 ? number.created : number.known).push(body.patient.id);
  const reply = await call(world, "POST", "/threads", { body: { phone: number.phone } });
  const thread = newThread(world, reply, undefined);
  const shown = await call(world, "GET", `/threads/${thread.id}`);
  if (agree(thread, shown.interval, world.idle, shown.status === 200)) {
    expect(shown.body.thread.patientId).toBe(body.patient.id);
  }
}

export function sharedCommands(): fc.Arbitrary<Command> {
  const choice = fc.nat(20);
  const always = () => true;
  const onShared = (name: string, run: (client: Client, world: World, choice: number) => Promise<void>) =>
    choice.map((which) => command(`${name}(${which})`, always, (client, world) => run(client, world, which)));
  return fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .tuple(choice, fc.boolean())
        .map(([which, streamed]) =>
          command(`chatOnShared(${which}${streamed ? ", streamed" : ""})`, always, (client, world) =>
            chatOnShared(client, world, which, streamed),
          ),
        ),
    },
    { weight: 1, arbitrary: onShared("abandonOnShared", abandonOnShared) },
    { weight: 3, arbitrary: onShared("readShared", readShared) },
    { weight: 1, arbitrary: onShared("deleteShared", deleteShared) },
    { weight: 2, arbitrary: onShared("registerShared", registerShared) },
  );
}
