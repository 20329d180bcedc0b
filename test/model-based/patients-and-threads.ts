import { expect } from "@jest/globals";
import { newThread } from "./command.ts";
import { agree, type PatientModel, type ThreadModel } from "./reference.ts";
import { type Client, call, chat, message, newPhone, notation, UNKNOWN_PATIENT, type World } from "./world.ts";

// Patients

export async function createPatient(complete: boolean, client: Client, world: World, way: number): Promise<void> {
  const number = world.next();
  const phone = newPhone(world);
  const name = `Patient ${number}`;
  const condition = `condition-${number}`;
  const given = { name, conditions: [condition], ...(complete && { age: 40, gender: "female" }) };
  const { status, body } = await call(world, "POST", "/patients", {
    body: { ...given, phone_number: notation(phone, way) },
  });
  expect(status).toBe(201);
  expect(body.patient).toMatchObject({ name, conditions: [condition], phone_number: phone, join_status: "API" });
  client.patients.push({ id: body.patient.id, name, phone, condition, complete });
}

export async function createPatientAgain({ id, name, phone }: PatientModel, _: Client, world: World, way: number) {
  const { status, body } = await call(world, "POST", "/patients", { body: { phone_number: notation(phone, way) } });
  expect({ status, body }).toEqual({
    status: 409,
    body: { error: "Patient with this phone number already exists", patient: { id, name, phone_number: phone } },
  });
}

export async function getPatient({ id, name, phone, condition, complete }: PatientModel, _: Client, world: World) {
  const { status, body } = await call(world, "GET", `/patients/${id}`);
  expect(status).toBe(200);
  expect(body.patient).toMatchObject({
    id,
    name,
    phone_number: phone,
    conditions: [condition],
    age: complete ? 40 : null,
  });
}

// Threads

export type Link = "none" | "id" | "phone" | "unknown phone" | "unknown id";

/** Creates a thread for the patient, unless the link is to none. */
export async function createThread(
  one: PatientModel | undefined,
  client: Client,
  world: World,
  way: number,
  link: Link,
) {
  const patient = link === "id" || link === "phone" ? one : undefined;
  const bodies = {
    none: {},
    id: { patientId: patient?.id },
    phone: patient ? { phone: notation(patient.phone, way) } : {},
    "unknown phone": { phone: newPhone(world) },
    "unknown id": { patientId: UNKNOWN_PATIENT },
  };
  const body = { ...bodies[link], metadata: { source: client.name } };
  const reply = await call(world, "POST", "/threads", { body });
  if (link === "unknown id") {
    expect(reply.status).toBe(404);
    return;
  }
  client.threads.push(newThread(world, reply, patient));
}

export async function getThread(thread: ThreadModel, _: Client, world: World): Promise<void> {
  const { status, body, interval } = await call(world, "GET", `/threads/${thread.id}`);
  if (!agree(thread, interval, world.idle, status === 200)) {
    return;
  }
  const { patientId, messageCount, lastActivity, createdAt, expiresAt } = body.thread;
  expect({ patientId, messageCount }).toEqual({
    patientId: thread.patient?.id ?? null,
    messageCount: 2 * thread.turns.length,
  });
  thread.createdAt ??= createdAt;
  expect(createdAt).toBe(thread.createdAt);
  const at = Date.parse(lastActivity);
  expect(at).toBeGreaterThanOrEqual(thread.activity.start);
  expect(at).toBeLessThanOrEqual(thread.activity.end);
  expect(Date.parse(expiresAt)).toBe(at + world.idle);
  thread.activity = { start: at, end: at };
}

export async function deleteThread(thread: ThreadModel, _: Client, world: World): Promise<void> {
  thread.deletedFrom = Date.now();
  const { status, interval } = await call(world, "DELETE", `/threads/${thread.id}`);
  if (agree(thread, interval, world.idle, status === 200)) {
    thread.gone = true;
  } else {
    thread.deletedFrom = Number.POSITIVE_INFINITY; // it had expired; until it is swept, an erasure counts it
  }
}

/** Nothing brings a thread back, whether it was deleted or has expired, and whether it was swept or not. */
export async function visitGone(thread: ThreadModel, client: Client, world: World): Promise<void> {
  const keyed = thread.keyed[0];
  const text = message(world, client);
  const ends = [
    await call(world, "GET", `/threads/${thread.id}`),
    await chat(world, { message: text, threadId: thread.id }),
    await call(world, "DELETE", `/threads/${thread.id}`),
    ...(keyed ? [await chat(world, keyed.body, { key: keyed.key })] : []),
  ];
  if (!thread.reused) {
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 404));
    expect(world.asked.has(text)).toBe(false);
  }
}

/** Deleted threads, and those that expired a while ago. */
export function goneThreads({ threads }: Client): ThreadModel[] {
  return threads.filter(({ gone, reused, activity }) => !reused && (gone || activity.end + 60_000 < Date.now()));
}

/** One more than the client's patients: none. */
export function patientsOrNone({ patients }: Client): (PatientModel | undefined)[] {
  return [...patients, undefined];
}
