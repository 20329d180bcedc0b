import { expect } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { type KeyedRequest, note, type Patient, type Thread, type ThreadRequest } from "./thread.ts";
import { openThreads, readAll } from "./threads.ts";
import {
  answerTo,
  type Client,
  chat,
  type Ended,
  expectRecord,
  FAILED,
  GONE,
  lastAsked,
  message,
  notation,
} from "./world.ts";

export interface ChatOptions {
  streamed: boolean;
  fate: "answered" | "refused" | "cut";
  /** Names the patient of the thread, or for a thread without one always the same. */
  named: "no" | "id" | "phone";
}

const PLAIN: ChatOptions = { streamed: false, fate: "answered", named: "no" };

export async function chatOnThread(thread: Thread, client: Client, options: ChatOptions): Promise<void> {
  const { streamed, fate, named } = options;
  const text = message(client, fate);
  const shared = client.tenant.shared.includes(thread);
  const patient = named === "no" || shared ? thread.patient : (thread.about ?? client.patients.at(-1));
  const naming = patient && { no: {}, id: { patientId: patient.id }, phone: { phone: patient.phone } }[named];
  const ended = await chat(client, { message: text, threadId: thread.id, ...naming }, { streamed });
  const { system, context: messages } = lastAsked(client, text);
  if (fate === "answered") {
    thread.about = noteAnswer(thread, client, text, ended) && patient ? patient : thread.about;
  } else {
    const { status, body, interval } = ended;
    const found = status !== 404;
    expect({ status, body }).toEqual(found ? { status: 500, body: FAILED } : NOT_FOUND);
    note(thread, { name: "chat", found, ...interval, ...(found && { messages }) });
  }
  if (!thread.reused && ended.status !== 404) {
    expectRecord(system, patient);
  }
}

const NOT_FOUND = { status: 404, body: { success: false, error: GONE } };

/**
 * Notes a chat that the model answered: it is stored as a turn of the thread, unless the thread has gone.
 *
 * @returns whether it was stored
 */
function noteAnswer(thread: Thread, client: Client, text: string, { status, body, interval }: Ended): boolean {
  if (status === 404) {
    expect({ status, body }).toEqual(NOT_FOUND);
    note(thread, { name: "chat", found: false, ...interval });
    return false;
  }
  const stored = { success: true, response: answerTo(text), threadId: thread.id, messageCount: expect.any(Number) };
  expect({ status, body }).toEqual({ status: 200, body: stored });
  const { context: messages } = lastAsked(client, text);
  note(thread, { name: "chat", found: true, question: text, count: body.messageCount, messages, ...interval });
  return true;
}

/** A conversation of many turns; each sees the last ten. */
export async function talk(thread: Thread, client: Client, turns: number): Promise<void> {
  for (let turn = 0; turn < turns && !thread.gone; turn++) {
    await chatOnThread(thread, client, PLAIN);
  }
}

export async function chatTogether(thread: Thread, client: Client, chats: number): Promise<void> {
  await Promise.all(Array.from({ length: chats }, () => chatOnThread(thread, client, PLAIN)));
}

// Idempotency keys

/** A client's next request with a key on a thread. Other clients use the same keys, which are others. */
function newKeyed(thread: Thread, { name: client }: Client, text: string): KeyedRequest {
  const own = thread.keyed.filter((request) => request.client === client);
  const keyed = { client, key: `key-${own.length}`, body: { message: text, threadId: thread.id } };
  thread.keyed.push(keyed);
  return keyed;
}

/** Notes requests with one key, of which only the first was carried out. */
function noteOnce(thread: Thread, keyed: KeyedRequest, client: Client, ends: Ended[]): void {
  const { message: text } = keyed.body;
  const [first, ...others] = ends.filter(({ status }) => status !== 404);
  for (const ended of ends.filter(({ status }) => status === 404)) {
    noteAnswer(thread, client, text, ended);
  }
  if (first) {
    const end = Math.max(...ends.map(({ interval }) => interval.end));
    noteAnswer(thread, client, text, { ...first, interval: { start: first.interval.start, end } });
    expect(others.map(({ body }) => body)).toEqual(others.map(() => first.body));
    expect(client.world.asked.get(text)).toHaveLength(1);
    keyed.response = first.body;
  }
}

export async function chatWithKey(thread: Thread, client: Client, times: number, streamed: boolean) {
  const keyed = newKeyed(thread, client, message(client));
  const { key, body } = keyed;
  const requests = Array.from({ length: times }, () => chat(client, body, { key, streamed }));
  noteOnce(thread, keyed, client, await Promise.all(requests));
}

/** The client's answered requests with a key on threads that are there. */
export function keyedRequests(client: Client): (KeyedRequest & { thread: Thread })[] {
  return openThreads(client).flatMap((thread) =>
    thread.keyed
      .filter((request) => request.client === client.name && request.response !== undefined)
      .map((request) => ({ ...request, thread })),
  );
}

export async function repeatKey(
  { thread, key, body, response }: ReturnType<typeof keyedRequests>[number],
  client: Client,
  sameBody: boolean,
  streamed: boolean,
): Promise<void> {
  const text = sameBody ? body.message : message(client);
  const asked = client.world.asked.get(text)?.length ?? 0;
  const options = { key, streamed: streamed && sameBody };
  const { status, body: answer, interval } = await chat(client, { ...body, message: text }, options);
  const found = status !== 404;
  note(thread, { name: "chat with a used key", found, ...interval });
  if (found && !thread.reused) {
    const refused = { success: false, error: "Idempotency-Key was used with another request" };
    expect({ status, body: answer }).toEqual(
      sameBody ? { status: 200, body: response } : { status: 422, body: refused },
    );
  }
  expect(client.world.asked.get(text)?.length ?? 0).toBe(asked);
}

/** The model refuses a request with a key; the same request may be sent again, and is answered once. */
export async function failWithKey(thread: Thread, client: Client): Promise<void> {
  const { key, body } = newKeyed(thread, client, message(client, "refused"));
  for (let time = 0; time < 2 && !thread.gone; time++) {
    const { status, body: answer, interval } = await chat(client, body, { key });
    const found = status !== 404;
    expect({ status, body: answer }).toEqual(found ? { status: 500, body: FAILED } : NOT_FOUND);
    expect(client.world.asked.get(body.message) ?? []).toHaveLength(found ? time + 1 : time);
    note(thread, { name: "chat", found, ...interval });
  }
}

// Interrupted requests

/** A caller that hangs up after the first words: the turn is stored all the same. */
export async function hangUp(thread: Thread, client: Client): Promise<void> {
  const text = message(client, "slow");
  client.world.steps++;
  const start = Date.now();
  const body = { message: text, threadId: thread.id };
  const stream = await openStream(client.world.service, body, { "x-api-key": client.key });
  if (stream.status !== 200) {
    expect(stream.status).toBe(404);
    note(thread, { name: "chat", found: false, start, end: Date.now() });
    return;
  }
  await stream.next();
  stream.hangUp();
  const { context: messages } = lastAsked(client, text);
  const request: ThreadRequest = { name: "chat", found: true, question: text, messages, start, end: Infinity };
  note(thread, request);
  const asked = { role: "user", content: text };
  const isShown = (shown: unknown[] | undefined) => JSON.stringify(shown ?? [asked]).includes(text);
  const shown = await eventually(() => readAll(thread, client), isShown);
  if (shown && !thread.reused) {
    expect(shown).toContainEqual(asked);
    const place = shown.findIndex(({ content }) => content === text);
    Object.assign(request, { count: place + (thread.opening === undefined ? 2 : 3), end: Date.now() });
  }
}

/** A connection that is lost at any time: with an idempotency key, the request is sent again, and stored once. */
export async function loseConnection(thread: Thread, client: Client, afterMilliseconds: number): Promise<void> {
  const keyed = newKeyed(thread, client, message(client));
  const start = Date.now();
  client.world.steps++;
  await fetch(`${client.world.service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": client.key, "idempotency-key": keyed.key },
    body: JSON.stringify(keyed.body),
    signal: AbortSignal.timeout(afterMilliseconds),
  })
    .then((response) => response.arrayBuffer())
    .catch(() => {});
  const ended = await chat(client, keyed.body, { key: keyed.key });
  if (ended.status === 404) {
    note(thread, { name: "lost chat", found: undefined, question: keyed.body.message, start, end: Infinity });
  }
  noteOnce(thread, keyed, client, [{ ...ended, interval: { start, end: ended.interval.end } }]);
}

/** Threads that are about a patient, each with the client's other patients. */
export function boundThreads(client: Client): { thread: Thread; other: Patient }[] {
  return openThreads(client).flatMap((thread) =>
    thread.about ? client.patients.filter(({ id }) => id !== thread.about?.id).map((other) => ({ thread, other })) : [],
  );
}

/** A thread that is linked to a patient, or has answered about one, is about no other. */
export async function nameOtherPatient(
  { thread, other }: ReturnType<typeof boundThreads>[number],
  client: Client,
  byPhone: boolean,
): Promise<void> {
  const naming = byPhone ? { phone: other.phone } : { patientId: other.id };
  const text = message(client);
  const { status, interval } = await chat(client, { message: text, threadId: thread.id, ...naming });
  expect([400, 404]).toContain(status);
  note(thread, { name: "chat about another patient", found: status !== 404, ...interval });
  expect(client.world.asked.has(text)).toBe(false);
}

/** Without a thread: the history is the request's, and nothing is stored. */
export async function chatAlone(
  patient: Patient | undefined,
  client: Client,
  way: number,
  turns: number,
  streamed: boolean,
): Promise<void> {
  const text = message(client);
  const conversationHistory = Array.from({ length: turns }, (_, index) => [
    { role: "user", content: `earlier question ${index}` },
    { role: "assistant", content: `earlier answer ${index}` },
  ]).flat();
  const request = { message: text, conversationHistory, ...(patient && { phone: notation(patient.phone, way) }) };
  const { status, body } = await chat(client, request, { streamed });
  expect({ status, body }).toEqual({ status: 200, body: { success: true, response: answerTo(text) } });
  const { system, context } = lastAsked(client, text);
  expectRecord(system, patient);
  expect(context).toEqual(conversationHistory);
}
