import { setTimeout } from "node:timers/promises";
import { expect } from "@jest/globals";
import { openStream } from "../helpers/service/event-stream.ts";
import { API_KEY } from "../helpers/service/service.ts";
import { openThreads } from "./command.ts";
import { agree, contextOf, type KeyedRequest, type PatientModel, presence, type ThreadModel } from "./reference.ts";
import {
  answerTo,
  type Client,
  call,
  chat,
  type Ended,
  expectRecord,
  GONE,
  lastAsked,
  message,
  notation,
  UNKNOWN_PATIENT,
  type World,
} from "./world.ts";

const NO_SUCH_THREAD = "00000"; // ids have no leading zeros
const FAILED = { success: false, error: "Failed to process chat request" };

// Chats on a thread

export interface ChatOptions {
  streamed: boolean;
  fate: "answered" | "refused" | "cut";
  /** Names the patient of the thread, or for a thread without one always the same. */
  named: "no" | "id" | "phone";
}

export async function chatOnThread(
  thread: ThreadModel,
  client: Client,
  world: World,
  { streamed, fate, named }: ChatOptions,
): Promise<void> {
  const text = message(world, client, fate);
  const patient = named === "no" ? thread.patient : (thread.about ?? client.patients.at(-1));
  const naming = patient && { no: {}, id: { patientId: patient.id }, phone: { phone: patient.phone } }[named];
  const ended = await chat(world, { message: text, threadId: thread.id, ...naming }, { streamed });
  if (fate === "answered") {
    if (expectStored(world, thread, text, ended) && patient) {
      thread.about = patient;
    }
  } else if (ended.status === 404) {
    agree(thread, ended.interval, world.idle, false);
    return;
  } else {
    expect({ status: ended.status, body: ended.body }).toEqual({ status: 500, body: FAILED });
  }
  if (!thread.reused && !thread.gone) {
    const { system, context } = lastAsked(world, text);
    expectRecord(system, patient);
    expect(context).toEqual(contextOf(fate === "answered" ? thread.turns.slice(0, -1) : thread.turns));
  }
}

/**
 * A chat that the model answered: stored as the thread's next turn, unless the thread has gone.
 *
 * @returns whether it was stored
 */
function expectStored(world: World, thread: ThreadModel, text: string, { status, body, interval }: Ended): boolean {
  if (status !== 200) {
    expect({ status, body }).toEqual({ status: 404, body: { success: false, error: GONE } });
  }
  if (!agree(thread, interval, world.idle, status === 200)) {
    return false;
  }
  thread.turns.push({ question: text, answer: answerTo(text) });
  expect(body).toEqual({
    success: true,
    response: answerTo(text),
    threadId: thread.id,
    messageCount: 2 * thread.turns.length,
  });
  thread.activity = interval;
  return true;
}

/** A conversation of many turns; each sees the last ten. */
export async function talk(thread: ThreadModel, client: Client, world: World, turns: number): Promise<void> {
  for (let turn = 0; turn < turns && !thread.gone; turn++) {
    const text = message(world, client);
    const ended = await chat(world, { message: text, threadId: thread.id });
    if (expectStored(world, thread, text, ended)) {
      expect(lastAsked(world, text).context).toEqual(contextOf(thread.turns.slice(0, -1)));
    }
  }
}

/** Chats at once: each is stored whole, in the order that their counts say. */
export async function chatTogether(thread: ThreadModel, client: Client, world: World, chats: number): Promise<void> {
  const texts = Array.from({ length: chats }, () => message(world, client));
  const ends = await Promise.all(texts.map((text) => chat(world, { message: text, threadId: thread.id })));
  const rounds = texts
    .map((text, index) => ({ text, ended: ends[index] as Ended }))
    .sort((a, b) => (a.ended.body.messageCount ?? 0) - (b.ended.body.messageCount ?? 0));
  const gone = rounds.filter(({ ended }) => ended.status !== 200);
  const activity = { start: 0, end: 0 };
  for (const { text, ended } of rounds.filter((round) => !gone.includes(round))) {
    if (expectStored(world, thread, text, ended)) {
      activity.start = Math.max(activity.start, ended.interval.start);
      activity.end = Math.max(activity.end, ended.interval.end);
      thread.activity = { ...activity };
    }
  }
  for (const { text, ended } of gone) {
    expectStored(world, thread, text, ended);
  }
}

// Idempotency keys

export async function chatWithKey(thread: ThreadModel, client: Client, world: World, times: number, streamed: boolean) {
  const key = `key-${world.next()}`;
  const text = message(world, client);
  const body = { message: text, threadId: thread.id };
  const ends = await Promise.all(Array.from({ length: times }, () => chat(world, body, { key, streamed })));
  const [first] = ends as [Ended];
  const interval = { start: first.interval.start, end: Math.max(...ends.map(({ interval: { end } }) => end)) };
  if (ends.some(({ status }) => status !== ends[0]?.status)) {
    expect(presence(thread, interval, world.idle)).not.toBe("present"); // it expired in between
    thread.gone = true;
    return;
  }
  if (expectStored(world, thread, text, { ...first, interval })) {
    expect(ends.map((ended) => ended.body)).toEqual(ends.map(() => first.body));
    expect(world.asked.get(text)).toHaveLength(1);
    thread.keyed.push({ key, body, response: first.body });
  }
}

/** The requests with a key on threads that are there. */
export function keyedRequests(client: Client): (KeyedRequest & { thread: ThreadModel })[] {
  return openThreads(client).flatMap((thread) => thread.keyed.map((request) => ({ ...request, thread })));
}

export async function repeatKey(
  { thread, key, body, response }: ReturnType<typeof keyedRequests>[number],
  client: Client,
  world: World,
  sameBody: boolean,
  streamed: boolean,
): Promise<void> {
  const text = sameBody ? String(body.message) : message(world, client);
  const asked = world.asked.get(text)?.length ?? 0;
  const ended = await chat(world, { ...body, message: text }, { key, streamed: streamed && sameBody });
  if (agree(thread, ended.interval, world.idle, ended.status !== 404)) {
    expect({ status: ended.status, body: ended.body }).toEqual(
      sameBody
        ? { status: 200, body: response }
        : { status: 422, body: { success: false, error: "Idempotency-Key was used with another request" } },
    );
  }
  expect(world.asked.get(text)?.length ?? 0).toBe(asked);
}

/** The model refuses a request with a key; the same request may be sent again, and is answered once. */
export async function failWithKey(thread: ThreadModel, client: Client, world: World): Promise<void> {
  const key = `key-${world.next()}`;
  const text = message(world, client, "refused");
  const body = { message: text, threadId: thread.id };
  for (let time = 0; time < 2 && !thread.gone; time++) {
    const { status, body: answer, interval } = await chat(world, body, { key });
    if (agree(thread, interval, world.idle, status !== 404)) {
      expect({ status, body: answer }).toEqual({ status: 500, body: FAILED });
      expect(world.asked.get(text)).toHaveLength(time + 1);
    }
  }
}

// Interrupted requests

/** A caller that hangs up after the first words: the turn is stored all the same. */
export async function hangUp(thread: ThreadModel, client: Client, world: World): Promise<void> {
  const text = message(world, client, "slow");
  world.steps++;
  const start = Date.now();
  const stream = await openStream(world.service, { message: text, threadId: thread.id });
  if (stream.status !== 200) {
    agree(thread, { start, end: Date.now() }, world.idle, false);
    return;
  }
  await stream.next();
  stream.hangUp();
  const until = Date.now() + 5_000;
  for (let count = -1; !thread.gone && count !== 2 * thread.turns.length + 2; ) {
    const { status, body, interval } = await call(world, "GET", `/threads/${thread.id}`);
    count = body?.thread?.messageCount ?? -1;
    if (status === 404) {
      const spanning = { ...thread, activity: { start: thread.activity.start, end: interval.end } };
      agree(spanning, interval, world.idle, false);
      thread.gone = true;
    } else if (count === 2 * thread.turns.length + 2) {
      thread.activity = { start, end: interval.end };
      thread.turns.push({ question: text, answer: answerTo(text) });
    } else {
      expect(Date.now()).toBeLessThan(until);
      await setTimeout(10);
    }
  }
}

/** A connection that is lost at any time: with an idempotency key, the request is sent again, and stored once. */
export async function loseConnection(
  thread: ThreadModel,
  client: Client,
  world: World,
  afterMilliseconds: number,
): Promise<void> {
  const key = `key-${world.next()}`;
  const text = message(world, client);
  const body = { message: text, threadId: thread.id };
  const start = Date.now();
  world.steps++;
  await fetch(`${world.service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, "idempotency-key": key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(afterMilliseconds),
  })
    .then((response) => response.arrayBuffer())
    .catch(() => {});
  const ended = await chat(world, body, { key });
  if (expectStored(world, thread, text, { ...ended, interval: { start, end: ended.interval.end } })) {
    expect(world.asked.get(text)).toHaveLength(1);
    thread.keyed.push({ key, body, response: ended.body });
  }
}

// What is refused

/** Threads that are about a patient, each with the client's other patients. */
export function boundThreads(client: Client): { thread: ThreadModel; other: PatientModel }[] {
  return openThreads(client).flatMap((thread) =>
    thread.about ? client.patients.filter(({ id }) => id !== thread.about?.id).map((other) => ({ thread, other })) : [],
  );
}

/** A thread that is linked to a patient, or has answered about one, is about no other. */
export async function nameOtherPatient(
  { thread, other }: ReturnType<typeof boundThreads>[number],
  client: Client,
  world: World,
  byPhone: boolean,
): Promise<void> {
  const naming = byPhone ? { phone: other.phone } : { patientId: other.id };
  const text = message(world, client);
  const { status, interval } = await chat(world, { message: text, threadId: thread.id, ...naming });
  if (agree(thread, interval, world.idle, status !== 404)) {
    expect(status).toBe(400);
  }
  expect(world.asked.has(text)).toBe(false);
}

/** Requests that are refused: method, path, options and status. */
export const REFUSED = [
  ["POST", "/chat", { body: {} }, 400],
  ["POST", "/chat", { body: { message: " \n" } }, 400],
  ["POST", "/chat", { body: { message: "anyone?", threadId: NO_SUCH_THREAD } }, 404],
  ["POST", "/chat", { body: { message: "anyone?", patientId: UNKNOWN_PATIENT } }, 404],
  ["GET", "/threads/abc", {}, 404],
  ["GET", "/patients/abc", {}, 404],
  ["GET", `/patients/${UNKNOWN_PATIENT}`, {}, 404],
  ["POST", "/patients", { body: { allergies: "none" } }, 400],
  ["POST", "/patients", { body: { phone_number: "12345" } }, 400],
  ["POST", "/threads", { body: {}, key: null }, 401],
  ["POST", "/chat", { body: { message: "anyone?" }, key: "no-key-of-anyone" }, 401],
] as const;

export async function refused([method, path, options, status]: (typeof REFUSED)[number], _: Client, world: World) {
  expect((await call(world, method, path, options)).status).toBe(status);
}

/** Without a thread: the history is the request's, and nothing is stored. */
export async function chatAlone(
  patient: PatientModel | undefined,
  client: Client,
  world: World,
  way: number,
  turns: number,
  streamed: boolean,
): Promise<void> {
  const text = message(world, client);
  const conversationHistory = Array.from({ length: turns }, (_, index) => [
    { role: "user", content: `earlier question ${index}` },
    { role: "assistant", content: `earlier answer ${index}` },
  ]).flat();
  const body = { message: text, conversationHistory, ...(patient && { phone: notation(patient.phone, way) }) };
  const ended = await chat(world, body, { streamed });
  expect({ status: ended.status, body: ended.body }).toEqual({
    status: 200,
    body: { success: true, response: answerTo(text) },
  });
  const { system, context } = lastAsked(world, text);
  expectRecord(system, patient);
  expect(context).toEqual(conversationHistory);
}
