import { setTimeout } from "node:timers/promises";
import { expect } from "@jest/globals";
import fc from "fast-check";
import { openStream } from "../helpers/service/event-stream.ts";
import { API_KEY } from "../helpers/service/service.ts";
import { type Command, command, newThread } from "./command.ts";
import { lifecycleCommands } from "./lifecycle-commands.ts";
import { agree, contextOf, type PatientModel, presence, type ThreadModel } from "./reference.ts";
import { sharedCommands } from "./shared-commands.ts";
import {
  answerTo,
  type Client,
  call,
  chat,
  type Ended,
  expectRecord,
  lastAsked,
  message,
  newPhone,
  notation,
  type World,
} from "./world.ts";

const UNKNOWN_PATIENT = "00000000-0000-4000-8000-000000000000";
const NO_SUCH_THREAD = "00000"; // ids have no leading zeros
const THREAD_GONE = "Thread not found or expired";
const FAILED = { success: false, error: "Failed to process chat request" };
const GONE = { success: false, error: THREAD_GONE };
/** Threads that commands choose from: older ones are left to expire. */
const IN_USE = 4;

const always = () => true;
const hasThread = ({ threads }: Client) => threads.some(({ gone }) => !gone);
const hasPatient = ({ patients }: Client) => patients.length > 0;
const hasGone = ({ threads }: Client) => threads.some((thread) => outOfUse(thread));

function threadOf({ threads }: Client, choice: number): ThreadModel {
  const inUse = threads.filter(({ gone }) => !gone).slice(-IN_USE);
  return inUse[choice % inUse.length] as ThreadModel;
}

function goneThreadOf({ threads }: Client, choice: number): ThreadModel {
  const gone = threads.filter(outOfUse);
  return gone[choice % gone.length] as ThreadModel;
}

function outOfUse(thread: ThreadModel): boolean {
  return !thread.reused && (thread.gone || thread.activity.end + 60_000 < Date.now());
}

function patientOf({ patients }: Client, choice: number): PatientModel {
  return patients[choice % patients.length] as PatientModel;
}

// Patients

async function createPatient(client: Client, world: World, way: number, complete: boolean): Promise<void> {
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

async function createPatientAgain(client: Client, world: World, which: number, way: number): Promise<void> {
  const { id, name, phone } = patientOf(client, which);
  const { status, body } = await call(world, "POST", "/patients", { body: { phone_number: notation(phone, way) } });
  expect({ status, body }).toEqual({
    status: 409,
    body: { error: "Patient with this phone number already exists", patient: { id, name, phone_number: phone } },
  });
}

async function getPatient(client: Client, world: World, which: number): Promise<void> {
  const { id, name, phone, condition, complete } = patientOf(client, which);
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

type Link = "none" | "id" | "phone" | "unknown phone" | "unknown id";

async function createThread(client: Client, world: World, link: Link, which: number, way: number): Promise<void> {
  const patient = link === "id" || link === "phone" ? patientOf(client, which) : undefined;
  const bodies = {
    none: {},
    id: { patientId: patient?.id },
    phone: { phone: notation(patient?.phone ?? "", way) },
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

async function getThread(thread: ThreadModel, world: World): Promise<void> {
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

async function deleteThread(thread: ThreadModel, world: World): Promise<void> {
  thread.deletedFrom = Date.now();
  const { status, interval } = await call(world, "DELETE", `/threads/${thread.id}`);
  if (agree(thread, interval, world.idle, status === 200)) {
    thread.gone = true;
  }
}

/** Nothing brings a thread back, whether it was deleted or has expired, and whether it was swept or not. */
async function visitGone(thread: ThreadModel, world: World, client: Client): Promise<void> {
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

// Chats on a thread

interface ChatOptions {
  streamed: boolean;
  fate: "answered" | "refused" | "cut";
  /** Names the patient of the thread, or for a thread without one always the same. */
  named: "no" | "id" | "phone";
}

async function chatOnThread(
  client: Client,
  world: World,
  which: number,
  { streamed, fate, named }: ChatOptions,
): Promise<void> {
  const thread = threadOf(client, which);
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
    expect({ status, body }).toEqual({ status: 404, body: GONE });
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
async function talk(client: Client, world: World, which: number, turns: number): Promise<void> {
  const thread = threadOf(client, which);
  for (let turn = 0; turn < turns && !thread.gone; turn++) {
    const text = message(world, client);
    const ended = await chat(world, { message: text, threadId: thread.id });
    if (expectStored(world, thread, text, ended)) {
      expect(lastAsked(world, text).context).toEqual(contextOf(thread.turns.slice(0, -1)));
    }
  }
}

/** Chats at once: each is stored whole, in the order that their counts say. */
async function chatTogether(client: Client, world: World, which: number, chats: number): Promise<void> {
  const thread = threadOf(client, which);
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

async function chatWithKey(client: Client, world: World, which: number, times: number, streamed: boolean) {
  const thread = threadOf(client, which);
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

const hasKey = (client: Client) => client.threads.some(({ gone, keyed }) => !gone && keyed.length > 0);

async function repeatKey(client: Client, world: World, which: number, sameBody: boolean, streamed: boolean) {
  const threads = client.threads.filter(({ gone, keyed }) => !gone && keyed.length > 0);
  const thread = threads[which % threads.length] as ThreadModel;
  const { key, body, response } = thread.keyed[which % thread.keyed.length] as ThreadModel["keyed"][number];
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
async function failWithKey(client: Client, world: World, which: number): Promise<void> {
  const thread = threadOf(client, which);
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
async function hangUp(client: Client, world: World, which: number): Promise<void> {
  const thread = threadOf(client, which);
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
async function loseConnection(client: Client, world: World, which: number, afterMilliseconds: number): Promise<void> {
  const thread = threadOf(client, which);
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

const hasBound = ({ threads, patients }: Client) =>
  patients.length > 1 && threads.filter(({ gone }) => !gone).some(({ about }) => about);

/** A thread that is linked to a patient, or has answered about one, is about no other. */
async function nameOtherPatient(client: Client, world: World, which: number, byPhone: boolean): Promise<void> {
  const bound = client.threads.filter(({ gone, about }) => !gone && about);
  const thread = bound[which % bound.length] as ThreadModel;
  const others = client.patients.filter(({ id }) => id !== thread.about?.id);
  const other = others[which % others.length] as PatientModel;
  const naming = byPhone ? { phone: other.phone } : { patientId: other.id };
  const text = message(world, client);
  const { status, interval } = await chat(world, { message: text, threadId: thread.id, ...naming });
  if (agree(thread, interval, world.idle, status !== 404)) {
    expect(status).toBe(400);
  }
  expect(world.asked.has(text)).toBe(false);
}

const REFUSED = {
  "no message": ["POST", "/chat", { body: {} }, 400],
  "an empty message": ["POST", "/chat", { body: { message: " \n" } }, 400],
  "no such thread": ["POST", "/chat", { body: { message: "anyone?", threadId: NO_SUCH_THREAD } }, 404],
  "no such patient": ["POST", "/chat", { body: { message: "anyone?", patientId: UNKNOWN_PATIENT } }, 404],
  "a malformed thread id": ["GET", "/threads/abc", {}, 404],
  "a malformed patient id": ["GET", "/patients/abc", {}, 404],
  "an unknown patient": ["GET", `/patients/${UNKNOWN_PATIENT}`, {}, 404],
  "a patient without name and phone": ["POST", "/patients", { body: { allergies: "none" } }, 400],
  "a phone number that is too short": ["POST", "/patients", { body: { phone_number: "12345" } }, 400],
  "no key": ["POST", "/threads", { body: {}, key: null }, 401],
  "a wrong key": ["POST", "/chat", { body: { message: "anyone?" }, key: "no-key-of-anyone" }, 401],
} as const;

async function refused(world: World, what: keyof typeof REFUSED): Promise<void> {
  const [method, path, options, status] = REFUSED[what];
  expect((await call(world, method, path, options)).status).toBe(status);
}

/** Without a thread: the history is the request's, and nothing is stored. */
async function chatAlone(client: Client, world: World, which: number, turns: number, streamed: boolean) {
  const patient = client.patients[which % (client.patients.length + 1)];
  const text = message(world, client);
  const conversationHistory = Array.from({ length: turns }, (_, index) => [
    { role: "user", content: `earlier question ${index}` },
    { role: "assistant", content: `earlier answer ${index}` },
  ]).flat();
  const body = { message: text, conversationHistory, ...(patient && { phone: notation(patient.phone, which) }) };
  const ended = await chat(world, body, { streamed });
  expect({ status: ended.status, body: ended.body }).toEqual({
    status: 200,
    body: { success: true, response: answerTo(text) },
  });
  const { system, context } = lastAsked(world, text);
  expectRecord(system, patient);
  expect(context).toEqual(conversationHistory);
}

/** One of all commands, the more important ones more often. */
export function anyCommand(): fc.Arbitrary<Command> {
  const choice = fc.nat(20);
  const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });
  return fc.oneof(
    weighted(
      4,
      fc.tuple(choice, fc.boolean()).map(([way, complete]) =>
        command(
          `createPatient(${way}, ${complete ? "complete" : "incomplete"})`,
          ({ patients }) => patients.length < 12,
          (client, world) => createPatient(client, world, way, complete),
        ),
      ),
    ),
    weighted(
      2,
      fc
        .tuple(choice, choice)
        .map(([which, way]) =>
          command(`createPatientAgain(${which}, ${way})`, hasPatient, (client, world) =>
            createPatientAgain(client, world, which, way),
          ),
        ),
    ),
    weighted(
      2,
      choice.map((which) =>
        command(`getPatient(${which})`, hasPatient, (client, world) => getPatient(client, world, which)),
      ),
    ),
    weighted(
      8,
      fc
        .tuple(fc.constantFrom<Link[]>("none", "id", "phone", "unknown phone", "unknown id"), choice, choice)
        .map(([link, which, way]) =>
          command(
            `createThread(${link}, ${which})`,
            (client) => (link !== "id" && link !== "phone") || hasPatient(client),
            (client, world) => createThread(client, world, link, which, way),
          ),
        ),
    ),
    weighted(
      8,
      choice.map((which) =>
        command(`getThread(${which})`, hasThread, (client, world) => getThread(threadOf(client, which), world)),
      ),
    ),
    weighted(
      3,
      choice.map((which) =>
        command(`getAnyThread(${which})`, hasThread, (client, world) => {
          const threads = client.threads.filter(({ gone }) => !gone);
          return getThread(threads[which % threads.length] as ThreadModel, world);
        }),
      ),
    ),
    weighted(
      3,
      choice.map((which) =>
        command(`deleteThread(${which})`, hasThread, (client, world) => deleteThread(threadOf(client, which), world)),
      ),
    ),
    weighted(
      3,
      choice.map((which) =>
        command(`visitGone(${which})`, hasGone, (client, world) =>
          visitGone(goneThreadOf(client, which), world, client),
        ),
      ),
    ),
    weighted(
      26,
      fc
        .record({
          which: choice,
          streamed: fc.boolean(),
          fate: fc.oneof(
            { weight: 8, arbitrary: fc.constant("answered" as const) },
            { weight: 1, arbitrary: fc.constantFrom("refused" as const, "cut" as const) },
          ),
          named: fc.oneof(
            { weight: 4, arbitrary: fc.constant("no" as const) },
            { weight: 1, arbitrary: fc.constantFrom("id" as const, "phone" as const) },
          ),
        })
        .map(({ which, ...options }) =>
          command(
            `chat(${which}, ${options.fate}${options.streamed ? ", streamed" : ""}, names ${options.named})`,
            hasThread,
            (client, world) => chatOnThread(client, world, which, options),
          ),
        ),
    ),
    weighted(
      2,
      fc
        .tuple(
          choice,
          fc.oneof({ weight: 12, arbitrary: fc.nat(30) }, { weight: 1, arbitrary: fc.integer({ min: 100, max: 110 }) }),
        )
        .map(([which, turns]) =>
          command(`talk(${which}, ${turns} turns)`, hasThread, (client, world) => talk(client, world, which, turns)),
        ),
    ),
    weighted(
      3,
      fc
        .tuple(choice, fc.integer({ min: 2, max: 5 }))
        .map(([which, chats]) =>
          command(`chatTogether(${which}, ${chats} chats)`, hasThread, (client, world) =>
            chatTogether(client, world, which, chats),
          ),
        ),
    ),
    weighted(
      6,
      fc
        .tuple(
          choice,
          fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 3 }) }),
          fc.boolean(),
        )
        .map(([which, times, streamed]) =>
          command(`chatWithKey(${which}, ${times} times)`, hasThread, (client, world) =>
            chatWithKey(client, world, which, times, streamed),
          ),
        ),
    ),
    weighted(
      6,
      fc
        .tuple(choice, fc.boolean(), fc.boolean())
        .map(([which, sameBody, streamed]) =>
          command(`repeatKey(${which}, ${sameBody ? "same" : "other"} body)`, hasKey, (client, world) =>
            repeatKey(client, world, which, sameBody, streamed),
          ),
        ),
    ),
    weighted(
      1,
      choice.map((which) =>
        command(`failWithKey(${which})`, hasThread, (client, world) => failWithKey(client, world, which)),
      ),
    ),
    weighted(
      2,
      choice.map((which) => command(`hangUp(${which})`, hasThread, (client, world) => hangUp(client, world, which))),
    ),
    weighted(
      2,
      fc
        .tuple(choice, fc.nat(30))
        .map(([which, milliseconds]) =>
          command(`loseConnection(${which}, after ${milliseconds} ms)`, hasThread, (client, world) =>
            loseConnection(client, world, which, milliseconds),
          ),
        ),
    ),
    weighted(
      2,
      fc
        .tuple(choice, fc.boolean())
        .map(([which, byPhone]) =>
          command(`nameOtherPatient(${which}, by ${byPhone ? "phone" : "id"})`, hasBound, (client, world) =>
            nameOtherPatient(client, world, which, byPhone),
          ),
        ),
    ),
    weighted(
      3,
      fc
        .constantFrom(...(Object.keys(REFUSED) as (keyof typeof REFUSED)[]))
        .map((what) => command(`refused(${what})`, always, (_, world) => refused(world, what))),
    ),
    weighted(
      4,
      fc
        .tuple(choice, fc.nat(3), fc.boolean())
        .map(([which, turns, streamed]) =>
          command(`chatAlone(${which}, ${turns} earlier turns)`, always, (client, world) =>
            chatAlone(client, world, which, turns, streamed),
          ),
        ),
    ),
    weighted(16, sharedCommands()),
    weighted(14, lifecycleCommands()),
  );
}
