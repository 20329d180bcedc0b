import { expect } from "@jest/globals";
import { certainlyThere, type Message, note, type Patient, type Thread } from "./thread.ts";
import { type Client, call, chat, type Ended, message, newPhone, notation } from "./world.ts";

const UNKNOWN_PATIENT = "00000000-0000-4000-8000-000000000000";
const NO_SUCH_THREAD = "00000"; // ids have no leading zeros

/** The client's threads that are there, as far as it knows. */
export function openThreads({ threads }: Client): Thread[] {
  return threads.filter(({ gone, reused }) => !gone && !reused);
}

/** The threads that most commands choose from: all clients' shared ones, and the client's own but the older ones. */
export function threadsInUse(client: Client): Thread[] {
  const shared = client.tenant.shared.filter((thread) => thread && !thread.gone && !thread.reused) as Thread[];
  return [...shared, ...openThreads(client).slice(-4)];
}

/** Threads that were deleted, or seen to have expired. */
export function goneThreads({ threads }: Client): Thread[] {
  return threads.filter(({ gone, reused }) => gone && !reused);
}

/** One more than the client's patients: none. */
export function patientsOrNone({ patients }: Client): (Patient | undefined)[] {
  return [...patients, undefined];
}

export type Link = "none" | "id" | "phone" | "unknown phone";

/** Creates a thread for the patient, unless the link is to none. */
export async function createThread(one: Patient | undefined, client: Client, way: number, link: Link) {
  const patient = link === "id" || link === "phone" ? one : undefined;
  const bodies = {
    none: {},
    id: { patientId: patient?.id },
    phone: patient ? { phone: notation(patient.phone, way) } : {},
    "unknown phone": { phone: newPhone(client.world) },
  };
  const body = { ...bodies[link], metadata: { source: client.name } };
  const reply = await call(client, "POST", "/threads", { body });
  client.threads.push(newThread(client, reply, patient));
}

/** Replaces a shared thread that has gone. Of clients that do this at once, one has its thread forgotten. */
export async function shareThread(place: number, client: Client): Promise<void> {
  const { shared } = client.tenant;
  if (shared[place]?.gone ?? true) {
    const reply = await call(client, "POST", "/threads", { body: {} });
    shared[place] = newThread(client, reply, undefined);
  }
}

/** Notes a thread that was just created, whose id must have been free. */
export function newThread({ tenant, world }: Client, reply: Ended, patient: Patient | undefined): Thread {
  const { status, body, interval } = reply;
  expect(status).toBe(201);
  const asks = patient !== undefined && !patient.complete;
  expect({ count: body.messageCount, asks: "initialMessage" in body }).toEqual({ count: asks ? 2 : 0, asks });
  const earlier = tenant.threads.get(body.threadId);
  if (earlier) {
    expect(certainlyThere(earlier, interval.end, world.idle)).toBe(false);
    earlier.reused = true;
  }
  const thread: Thread = {
    id: body.threadId,
    patient,
    about: patient,
    opening: body.initialMessage,
    created: interval,
    history: [],
    keyed: [],
    gone: false,
    deletedFrom: Number.POSITIVE_INFINITY,
    reused: false,
  };
  tenant.threads.set(thread.id, thread);
  return thread;
}

export async function getThread(thread: Thread, client: Client): Promise<void> {
  const { status, body, interval } = await call(client, "GET", `/threads/${thread.id}`);
  if (status !== 200) {
    note(thread, { name: "read", found: false, ...interval });
    return;
  }
  const { patientId, messageCount, createdAt, expiresAt } = body.thread;
  const lastActivity = Date.parse(body.thread.lastActivity);
  note(thread, { name: "read", found: true, count: messageCount, lastActivity, ...interval });
  if (!thread.reused) {
    thread.createdAt ??= createdAt;
    expect({ patientId, createdAt }).toEqual({ patientId: thread.patient?.id ?? null, createdAt: thread.createdAt });
    expect(Date.parse(expiresAt)).toBe(lastActivity + client.world.idle);
  }
}

/** Reads all messages of a thread, the oldest first, in pages; undefined if the thread has gone. */
export async function readAll(thread: Thread, client: Client, limit = 100): Promise<Message[] | undefined> {
  const name = "reading of messages";
  const messages: Message[] = [];
  const start = Date.now();
  let cursor = "";
  for (;;) {
    const path = `/threads/${thread.id}/messages?limit=${limit}${cursor}`;
    const { status, body, interval } = await call(client, "GET", path);
    if (status !== 200) {
      note(thread, { name, found: false, ...interval });
      return undefined;
    }
    expect(body.messages.length).toBeLessThanOrEqual(limit);
    messages.unshift(...inOrder(body.messages));
    if (!body.hasMore) {
      note(thread, { name, found: true, messages, start, end: interval.end });
      return messages;
    }
    cursor = `&before=${body.messages.at(-1)?.id}`;
  }
}

/** Messages that a response lists from the newest to the oldest. */
export function inOrder(messages: Message[]): Message[] {
  return messages.map(({ role, content }) => ({ role, content })).reverse();
}

export async function readMessages(thread: Thread, client: Client, limit: number): Promise<void> {
  await readAll(thread, client, limit);
}

export async function deleteThread(thread: Thread, client: Client): Promise<void> {
  thread.deletedFrom = Math.min(thread.deletedFrom, Date.now());
  const { status, interval } = await call(client, "DELETE", `/threads/${thread.id}`);
  const found = status === 200;
  note(thread, { name: "deletion", found, ...(found && { deletes: true }), ...interval });
  if (!found) {
    thread.deletedFrom = Number.POSITIVE_INFINITY; // it had expired; until it is swept, an erasure counts it
  }
}

/**
 * After a deletion, nothing brings a thread back, whether it was deleted or had expired, and whether it was swept or
 * not. Before it, a chat that began before the thread expired may have.
 */
export async function visitGone(thread: Thread, client: Client): Promise<void> {
  const keyed = thread.keyed[0];
  const text = message(client);
  await deleteThread(thread, client);
  const ends = [
    await call(client, "GET", `/threads/${thread.id}`),
    await chat(client, { message: text, threadId: thread.id }),
    await call(client, "DELETE", `/threads/${thread.id}`),
    ...(keyed ? [await chat(client, keyed.body, { key: keyed.key })] : []),
  ];
  if (!thread.reused) {
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 404));
    expect(client.world.asked.has(text)).toBe(false);
  }
}

/** Requests that are refused: method, path, options and status. Another tenant's ids are as unknown as any others. */
export function refusals({ tenant, world }: Client) {
  const others = world.tenants.filter((other) => other !== tenant);
  const foreign = others.flatMap(({ threads }) => [...threads.keys()].filter((id) => !tenant.threads.has(id)));
  const body = { message: "anyone?" };
  const byThread = [NO_SUCH_THREAD, ...foreign.slice(-2)].flatMap((threadId) => [
    ["POST", "/chat", { body: { ...body, threadId } }, 404] as const,
    ["GET", `/threads/${threadId}`, {}, 404] as const,
    ["GET", `/threads/${threadId}/messages`, {}, 404] as const,
    ["DELETE", `/threads/${threadId}`, {}, 404] as const,
    ["PUT", `/threads/${threadId}/handoff`, { body: {} }, 404] as const,
    ["DELETE", `/threads/${threadId}/handoff`, {}, 404] as const,
    ["POST", `/threads/${threadId}/messages`, { body: { content: "hello", author: "Ana" } }, 404] as const,
    ["POST", "/openai/v1/chat/completions", { body: completion(threadId) }, 404] as const,
  ]);
  const foreignPatients = others.flatMap(({ patients }) => patients.slice(-2));
  const byPatient = [UNKNOWN_PATIENT, ...foreignPatients].flatMap((patientId) => [
    ["POST", "/chat", { body: { ...body, patientId } }, 404] as const,
    ["POST", "/threads", { body: { patientId } }, 404] as const,
    ["GET", `/patients/${patientId}`, {}, 404] as const,
    ["GET", `/patients/${patientId}/threads`, {}, 404] as const,
    ["GET", `/patients/${patientId}/export`, {}, 404] as const,
    ["PATCH", `/patients/${patientId}`, { body: { age: 1 } }, 404] as const,
    ["DELETE", `/patients/${patientId}`, {}, 404] as const,
  ]);
  return [
    ...byThread,
    ...byPatient,
    ["POST", "/chat", { body: {} }, 400] as const,
    ["POST", "/chat", { body: { message: " \n" } }, 400] as const,
    ["GET", "/threads/abc", {}, 404] as const,
    ["GET", "/patients/abc", {}, 404] as const,
    ["POST", "/patients", { body: { allergies: "none" } }, 400] as const,
    ["POST", "/patients", { body: { phone_number: "12345" } }, 400] as const,
    ["POST", "/threads", { body: {}, key: null }, 401] as const,
    ["POST", "/chat", { body, key: "no-key-of-anyone" }, 401] as const,
  ];
}

/** A chat of OpenAI's clients on a thread. */
export function completion(threadId: string, content = "anyone?") {
  return {
    model: "health-assistant",
    messages: [{ role: "user", content }],
    metadata: { thread_id: threadId },
  };
}

export async function refused([method, path, options, status]: ReturnType<typeof refusals>[number], client: Client) {
  const reply = await call(client, method, path, options);
  expect({ method, path, status: reply.status }).toEqual({ method, path, status });
}
