import { expect } from "@jest/globals";
import { openStream } from "../helpers/service/event-stream.ts";
import { newThread } from "./command.ts";
import { agree } from "./reference.ts";
import type { SharedThread } from "./shared-history.ts";
import { answerTo, type Client, call, chat, lastAsked, message, notation, type World } from "./world.ts";

/** The numbers of the threads that all clients use at once, and of the phone numbers that all try to register. */
export const SLOTS = [0, 1, 2];
export const PHONES = [0, 1];

async function slotOf(index: number, client: Client, world: World): Promise<SharedThread> {
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

export async function chatOnShared(index: number, client: Client, world: World, streamed: boolean): Promise<void> {
  const slot = await slotOf(index, client, world);
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

export async function abandonOnShared(index: number, client: Client, world: World): Promise<void> {
  const slot = await slotOf(index, client, world);
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

export async function readShared(index: number, client: Client, world: World): Promise<void> {
  await read(world, await slotOf(index, client, world));
}

/** Reads a shared thread, for its history. */
export async function read(world: World, slot: SharedThread): Promise<void> {
  const { status, body, interval } = await call(world, "GET", `/threads/${slot.thread.id}`);
  slot.history.push({ kind: "read", count: status === 200 ? body.thread.messageCount : undefined, ...interval });
  note(slot, status === 200);
}

export async function deleteShared(index: number, client: Client, world: World): Promise<void> {
  const slot = await slotOf(index, client, world);
  slot.thread.deletedFrom = Math.min(slot.thread.deletedFrom, Date.now());
  const { status, interval } = await call(world, "DELETE", `/threads/${slot.thread.id}`);
  slot.history.push({ kind: "deletion", done: status === 200, ...interval });
  note(slot, false);
}

/** Of all who register a number, one creates the patient, and the others are told of that one. */
export async function registerShared(index: number, _: Client, world: World, way: number): Promise<void> {
  const number = world.phones[index] as World["phones"][number];
  const { status, body } = await call(world, "POST", "/patients", {
    body: { phone_number: notation(number.phone, way), age: 40, gender: "male" },
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
