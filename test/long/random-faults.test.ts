import { beforeEach, expect, jest, test } from "@jest/globals";
import { ServiceError } from "../../shared/errors.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { CALLER, TENANT } from "../helpers/caller.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { newThread } from "../helpers/database/database.ts";
import { randomFaults, seededRandom } from "../helpers/database/random-faults.ts";
import { refillRetryQuota, setUpStorage } from "../helpers/database/storage.ts";
import { newPatient } from "../helpers/database/write-paths.ts";

/** `CHATS=10000 SEED=1 npm run test:long -- random-faults` for more. */
const CHATS = Number(process.env.CHATS ?? 3_000);
const SEED = Number(process.env.SEED ?? 20_260_301);
const PARALLEL = 6;
const THREADS = 12;
/** How often a client retries a request with an idempotency key that gets no answer. */
const CLIENT_RETRIES = 8;
/** Short, so that the lease of a reservation that could not be released expires soon. */
const INVOCATION_MILLISECONDS = 9_000;

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(() => {
  jest.spyOn(Math, "random").mockReturnValue(0.01); // short waits before retries
});

interface Sent {
  question: string;
  thread: Thread;
  patientId: string | undefined;
  keyed: boolean;
  /** The count in the response; undefined after an error. */
  messageCount?: number;
  /** Whether the chat was rejected because the thread is bound to another patient. */
  otherPatient?: boolean;
}

const random = seededRandom(SEED);
const sent: Sent[] = [];
const wrong: string[] = [];
const patients = [newPatient(undefined), newPatient(undefined)];
const outcomes = { answered: 0, failed: 0, otherPatient: 0, deleted: 0, replayed: 0, created: 0, notCreated: 0 };
/** Threads whose deletion was requested; they may be gone from then on. */
const deleting = new Set<string>();

test(`${CHATS} chats under random faults of the database: no duplicate and no wrong result`, async () => {
  for (const patient of patients) {
    await storage.patients.insertPatient(CALLER, patient);
  }
  const threads: Thread[] = await Promise.all(Array.from({ length: THREADS }, () => storage.storeThread()));
  const everyThread = [...threads];
  const { fault, injected } = randomFaults(random);
  storage.faults.fail("all", fault, Number.POSITIVE_INFINITY);

  let next = 0;
  const worker = async () => {
    for (let number = next++; number < CHATS; number = next++) {
      await refillRetryQuota();
      const slot = Math.floor(random() * THREADS);
      await chatOn(threads[slot] as Thread, number);
      if (number % 10 === 0) {
        await createPatient(number);
      }
      if (number % 25 === 24) {
        const former = threads[slot] as Thread;
        const fresh = await createThread();
        if (fresh) {
          everyThread.push(fresh);
          threads[slot] = fresh;
          await remove(former);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const calls = storage.faults.calls();
  storage.faults.reset();

  for (const thread of everyThread) {
    await check(thread);
  }
  const run = { seed: SEED, chats: CHATS, calls, injected: injected(), ...outcomes };
  expect({ ...run, wrong }).toEqual({ ...run, wrong: [] }); // a failure prints the whole run
  expect(injected()).toBeGreaterThan(CHATS / 4);
  expect(outcomes.answered).toBeGreaterThan(CHATS / 2);
}, 3_600_000);

async function chatOn(thread: Thread, number: number): Promise<void> {
  const named = random() < 0.2 ? patients[Math.floor(random() * patients.length)] : undefined;
  const keyed = random() < 0.5;
  const chat: Sent = { question: `visit ${number}: when do you open?`, thread, patientId: named?.id, keyed };
  sent.push(chat);
  const send = () =>
    chats.chat(
      { message: chat.question, threadId: thread.threadId, patientId: chat.patientId },
      keyed ? `key-${number}` : undefined,
      INVOCATION_MILLISECONDS,
    );
  for (let attempt = 0; attempt <= (keyed ? CLIENT_RETRIES : 0); attempt++) {
    try {
      const first = await send();
      outcomes.answered++;
      chat.messageCount = first.messageCount as number;
      if (first.response !== `answer to: ${chat.question}` || first.threadId !== thread.threadId) {
        wrong.push(`visit ${number} was answered with ${JSON.stringify(first)}`);
      }
      if (keyed && random() < 0.3) {
        await repeat(send, first, number);
      }
      return;
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        outcomes.failed++;
        continue; // a 500
      }
      if (error.kind === "invalid" && named) {
        outcomes.otherPatient++;
        chat.otherPatient = true;
        return;
      }
      if (error.kind === "not-found" && deleting.has(thread.generation)) {
        outcomes.deleted++;
        return;
      }
      if (error.kind !== "conflict" || !keyed) {
        wrong.push(`visit ${number} was rejected: ${error.kind}`);
        return;
      }
    }
  }
}

/** Asserts that a request sent again after its answer gets the same answer, if any. */
async function repeat(send: () => Promise<unknown>, first: unknown, number: number): Promise<void> {
  try {
    expect(await send()).toEqual(first);
    outcomes.replayed++;
  } catch (error) {
    const gone = error instanceof ServiceError && error.kind === "not-found";
    if (error instanceof ServiceError ? !gone : (error as Error).message.includes("toEqual")) {
      wrong.push(`visit ${number} was repeated with another result: ${(error as Error).message}`);
    }
  }
}

async function createThread(): Promise<Thread | undefined> {
  const thread = newThread();
  try {
    if ((await storage.threads.insertThread(TENANT, thread, undefined)).kind !== "inserted") {
      wrong.push("a new thread was refused because of its own earlier attempt");
    }
    outcomes.created++;
    return thread;
  } catch {
    outcomes.notCreated++;
    return undefined;
  }
}

async function createPatient(number: number): Promise<void> {
  const patient = newPatient(String(15_553_000_000 + number));
  try {
    if ((await storage.patients.insertPatient(CALLER, patient)).kind !== "inserted") {
      wrong.push("a new patient was refused because of its own earlier attempt");
    }
    outcomes.created++;
  } catch {
    outcomes.notCreated++;
  }
}

async function remove(thread: Thread): Promise<void> {
  deleting.add(thread.generation);
  try {
    if (!(await storage.remove(thread))) {
      wrong.push("a thread was not found because of its own earlier deletion");
    }
  } catch {
    // A 500: it may or may not have been deleted.
  }
}

/** Compares a stored thread with what was sent and acknowledged. */
async function check(thread: Thread): Promise<void> {
  const items = await storage.threadItems(thread.threadId);
  const own = items.find(({ sk }) => sk === "~thread");
  if (!own || own.deleting) {
    if (!deleting.has(thread.generation) || (!own && items.length > 0)) {
      wrong.push("a thread is gone, or has left items behind");
    }
    return;
  }
  const stored = items.filter(({ sk }) => String(sk).startsWith("turn#")).map(({ question }) => String(question));
  if (own.messageCount !== 2 * stored.length) {
    wrong.push(`a thread counts ${own.messageCount} messages and has ${stored.length} turns`);
  }
  const ours = sent.filter((chat) => chat.thread.generation === thread.generation);
  for (const { question, messageCount, keyed } of ours) {
    const times = stored.filter((one) => one === question).length;
    if (messageCount !== undefined ? times !== 1 || stored[messageCount / 2 - 1] !== question : times > 1) {
      wrong.push(`${question} (${keyed ? "with" : "without"} key, count ${messageCount}) is stored ${times} times`);
    }
  }
  const about = new Set(ours.filter((chat) => stored.includes(chat.question)).map(({ patientId }) => patientId));
  about.delete(undefined);
  if (about.size > 1) {
    wrong.push("a thread has turns about two patients");
  }
  if (ours.some((chat) => chat.otherPatient && (about.size === 0 || about.has(chat.patientId)))) {
    wrong.push("a chat was rejected on a thread that is not bound to another patient");
  }
}
