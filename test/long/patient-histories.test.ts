import { beforeAll, expect, test } from "@jest/globals";
import { seededRandom } from "../helpers/database/random-faults.ts";
import { addClients } from "../helpers/service/clients.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

/** `HISTORY_STEPS=50000 SEED=1 npm run test:long -- test/long/patient-histories.test.ts` for more. */
const STEPS = Number(process.env.HISTORY_STEPS ?? 3_000);
const SEED = Number(process.env.SEED ?? 20_260_301);
const CLIENTS = 16;
const PHONES = ["15550130001", "15550130002", "15550130003"];
const KEYS = ["key-of-alder", "key-of-birch"];

/** An empty DynamoDB to use instead of the embedded one. */
const { TEST_DYNAMODB_ENDPOINT } = process.env;

const service = setUpService({
  SECRETS_CACHE_SECONDS: "1",
  ...(TEST_DYNAMODB_ENDPOINT && { DYNAMODB_ENDPOINT: TEST_DYNAMODB_ENDPOINT }),
});
beforeAll(() => addClients(service, { alder: { keys: [KEYS[0] ?? ""] }, birch: { keys: [KEYS[1] ?? ""] } }));

/** What a tenant's clients know. Times are milliseconds; what has not happened yet happens at infinity. */
interface Tenant {
  key: string;
  /** Every patient that a response named, by ID. */
  patients: Map<string, { phone: string; createdAt: number; erasureBegan: number; erased: number }>;
  threads: ThreadHistory[];
  /** The creations whose response never arrived, by phone number. */
  lost: Set<string>;
}
interface ThreadHistory {
  id: string;
  patientId: string;
  createdAt: number;
  deletionBegan: number;
  turns: { question: string; storedAt: number }[];
}

const tenants: Tenant[] = KEYS.map((key) => ({ key, patients: new Map(), threads: [], lost: new Set() }));
const problems: string[] = [];
const counts: Record<string, number> = {};
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

const random = seededRandom(SEED);
const oneOf = <T>(all: T[]): T => all[Math.floor(random() * all.length)] as T;
let questions = 0;

/** The ID of one of the last patients, of whom about half are not erased yet; undefined if there is none. */
const recentPatient = ({ patients }: Tenant) => oneOf([...patients.keys()].slice(-2 * PHONES.length));

/** Statuses of a request that was rejected because too many ran at once; it had no effect. */
const BUSY = [429];

async function createPatient(tenant: Tenant): Promise<void> {
  const phone = oneOf(PHONES);
  const written = oneOf([phone, `+1 (${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`]);
  const known = new Set(tenant.patients.keys());
  const body = { name: "Pat Example", phone_number: written, age: 40, gender: "female" };
  if (random() < 0.1) {
    tenant.lost.add(phone);
    const signal = AbortSignal.timeout(Math.ceil(random() * 20));
    await fetch(`${service.baseUrl}/patients`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": tenant.key },
      body: JSON.stringify(body),
      signal,
    }).catch(() => {});
    return;
  }
  const began = Date.now();
  const reply = await service.call("POST", "/patients", { key: tenant.key, body });
  if (BUSY.includes(reply.status)) {
    return;
  }
  const { id } = reply.body.patient;
  const never = { erasureBegan: Number.POSITIVE_INFINITY, erased: Number.POSITIVE_INFINITY };
  if (reply.status === 201) {
    if (known.has(id)) {
      problems.push("a new patient has a known id");
    }
    tenant.patients.set(id, { ...never, phone, createdAt: Date.now(), ...(tenant.patients.get(id) ?? {}) });
    return;
  }
  count("conflicts");
  const other = tenant.patients.get(id);
  if (other && other.erased < began) {
    problems.push("a conflict names a patient that was erased before");
  }
  const read = await service.call("GET", `/patients/${id}`, { key: tenant.key });
  const erasedMeanwhile =
    (tenant.patients.get(id)?.erasureBegan ?? (tenant.lost.has(phone) ? 0 : Infinity)) < Date.now();
  if (read.status === 404 && !erasedMeanwhile) {
    problems.push("a conflict names a patient that cannot be read");
  }
  if (read.status === 200 && !tenant.patients.has(id)) {
    tenant.patients.set(id, { ...never, phone, createdAt: Date.now() });
  }
}

async function createThread(tenant: Tenant): Promise<void> {
  const patientId = recentPatient(tenant);
  if (!patientId) {
    return;
  }
  const bound = random() < 0.3; // opened without a patient, and bound to one by its first chat
  const reply = await service.call("POST", "/threads", { key: tenant.key, body: bound ? {} : { patientId } });
  if (reply.status !== 201) {
    return;
  }
  const thread = { id: reply.body.threadId, patientId, turns: [], deletionBegan: Number.POSITIVE_INFINITY };
  const history: ThreadHistory = { ...thread, createdAt: Date.now() };
  if (bound) {
    history.createdAt = Number.POSITIVE_INFINITY;
    await chatOn(tenant, history, false);
    if (history.turns.length === 0) {
      return;
    }
    history.createdAt = Date.now();
  }
  tenant.threads.push(history);
}

async function chatOn(tenant: Tenant, thread: ThreadHistory, streamed: boolean): Promise<void> {
  const question = `When does pharmacy ${++questions} open?`;
  const body = { message: question, threadId: thread.id, patientId: thread.patientId };
  count("chats");
  if (!streamed) {
    const { status } = await service.call("POST", "/chat", { key: tenant.key, body });
    if (status === 200) {
      thread.turns.push({ question, storedAt: Date.now() });
    }
    return;
  }
  const stream = await openStream(service, body, { "x-api-key": tenant.key });
  if (stream.status === 200 && random() < 0.3) {
    await stream.next();
    stream.hangUp();
    return;
  }
  const events = await stream.rest();
  const last = events.at(-1)?.event;
  if (stream.status === 200 && last !== "done" && last !== "error") {
    problems.push(`a stream ended with ${last}`);
  }
  if (last === "done") {
    thread.turns.push({ question, storedAt: Date.now() });
  }
}

async function chat(tenant: Tenant): Promise<void> {
  const thread = oneOf(tenant.threads.slice(-30));
  if (thread) {
    await chatOn(tenant, thread, random() < 0.5);
  }
}

async function exportOrList(tenant: Tenant): Promise<void> {
  const patientId = recentPatient(tenant);
  const patient = tenant.patients.get(patientId);
  const exports = random() < 0.5;
  const began = Date.now();
  const path = exports ? "export" : "threads?limit=100";
  const { status, body } = await service.call("GET", `/patients/${patientId}/${path}`, { key: tenant.key });
  const ended = Date.now();
  if (!patient || BUSY.includes(status)) {
    return;
  }
  if (status === 200 && patient.erased < began) {
    problems.push("an erased patient was found");
  }
  if (status === 404 && patient.erasureBegan > ended) {
    problems.push("a patient was not found");
  }
  if (status !== 200) {
    return;
  }
  count(exports ? "exports" : "lists");
  const found: { threadId: string; messages?: { content: string }[] }[] = body.threads;
  for (const thread of tenant.threads) {
    // An id is reused only after its thread was deleted, and then the thread is skipped here.
    if (thread.patientId !== patientId || thread.createdAt >= began || thread.deletionBegan < ended) {
      continue;
    }
    const shown = found.find(({ threadId }) => threadId === thread.id);
    if (!shown) {
      problems.push(`${path} lacks a thread`);
    }
    const texts = new Set(shown?.messages?.map(({ content }) => content));
    const missing = exports && shown && thread.turns.some((turn) => turn.storedAt < began && !texts.has(turn.question));
    if (missing) {
      problems.push("an export lacks a turn that was acknowledged before it");
    }
  }
}

async function deleteThread(tenant: Tenant): Promise<void> {
  // Once: a second deletion could meet another thread that has got the ID since.
  const thread = oneOf(tenant.threads.filter(({ deletionBegan }) => deletionBegan === Number.POSITIVE_INFINITY));
  if (thread) {
    thread.deletionBegan = Date.now();
    await service.call("DELETE", `/threads/${thread.id}`, { key: tenant.key });
    count("thread deletions");
  }
}

async function erasePatient(tenant: Tenant): Promise<void> {
  const id = recentPatient(tenant);
  const patient = id === undefined ? undefined : tenant.patients.get(id);
  if (!patient) {
    return;
  }
  const now = Date.now();
  patient.erasureBegan = Math.min(patient.erasureBegan, now);
  for (const thread of tenant.threads.filter(({ patientId }) => patientId === id)) {
    thread.deletionBegan = Math.min(thread.deletionBegan, now);
  }
  const { status } = await service.call("DELETE", `/patients/${id}`, { key: tenant.key });
  if (status === 200) {
    patient.erased = Math.min(patient.erased, Date.now());
    count("erasures");
  }
}

/** Each kind of request as often as its share of the mix. */
const MIX = [
  ...Array(15).fill(createPatient),
  ...Array(15).fill(createThread),
  ...Array(40).fill(chat),
  ...Array(22).fill(exportOrList),
  ...Array(5).fill(deleteThread),
  ...Array(3).fill(erasePatient),
];

test(`${CLIENTS} clients that share the patients of two tenants never miss anything acknowledged (seed ${SEED})`, async () => {
  let steps = 0;
  const client = async () => {
    while (steps++ < STEPS && problems.length === 0) {
      await oneOf(MIX)(oneOf(tenants));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(problems).toEqual([]);
  for (const what of ["chats", "conflicts", "exports", "lists", "erasures", "thread deletions"]) {
    expect(counts[what]).toBeGreaterThan(STEPS / 500);
  }
}, 3_600_000);
