import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test } from "@jest/globals";
import { seededRandom } from "../helpers/database/random-faults.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { addClients } from "../helpers/service/clients.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

/** `QUOTA_STEPS=10000 SEED=1 npm run test:long -- test/long/quotas.test.ts` for more. */
const STEPS = Number(process.env.QUOTA_STEPS ?? 1_500);
const SEED = Number(process.env.SEED ?? 20_261_123);
const WORKERS = 12;
/** Fewer chats at once than the local service has processes for them. */
const LIMITS = { requestsPerMinute: 60, concurrentChats: 2, tokensPerDay: 1_500, liveThreads: 6 } as const;
/** What the scripted model reports for an answer. */
const TOKENS = 15;

const service = setUpService({ SECRETS_CACHE_SECONDS: "1" });
beforeAll(() =>
  addClients(
    service,
    Object.fromEntries(
      Object.entries(LIMITS).map(([quota, limit]) => [
        quota,
        { keys: [`key-of-${quota}`], quotas: { [quota]: limit } },
      ]),
    ),
  ),
);

const random = seededRandom(SEED);
const QUESTION = "When does the pharmacy open?";
const keyOf = (quota: keyof typeof LIMITS) => ({ key: `key-of-${quota}` });
const chatAs = async (quota: keyof typeof LIMITS, body: object = {}) =>
  (await service.call("POST", "/chat", { body: { message: QUESTION, ...body }, ...keyOf(quota) })).status;

/** Does something at random in several workers at once. */
async function attack(step: () => Promise<void>): Promise<void> {
  let steps = 0;
  const worker = async () => {
    while (steps++ < STEPS) {
      await step();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

test(`chats at once never exceed their number, and callers that hang up leave no lease (seed ${SEED})`, async () => {
  let [running, most, hungUp, rejected] = [0, 0, 0, 0];
  service.model.script = async (request) => {
    running++;
    most = Math.max(most, running);
    await setTimeout(random() * 20);
    running--;
    return echo(request);
  };
  await attack(async () => {
    if (random() < 0.3) {
      const stream = await openStream(service, { message: QUESTION }, { "x-api-key": keyOf("concurrentChats").key });
      await setTimeout(random() * 15);
      stream.hangUp();
      hungUp += stream.status === 200 ? 1 : 0;
    } else {
      const status = await chatAs("concurrentChats");
      rejected += status === 429 ? 1 : 0;
    }
  });
  expect(most).toBe(LIMITS.concurrentChats);
  expect(Math.min(hungUp, rejected)).toBeGreaterThan(STEPS / 100);
  await setTimeout(1_000); // the chats of callers that have hung up end
  const together = Array.from({ length: LIMITS.concurrentChats }, () => chatAs("concurrentChats"));
  expect(await Promise.all(together)).toEqual(together.map(() => 200));
}, 1_200_000);

test("requests of a minute never exceed their number", async () => {
  const allowed = new Map<number, number>();
  let rejected = 0;
  await attack(async () => {
    const minute = () => Math.floor(Date.now() / 60_000);
    const began = minute();
    const { status } = await service.call("GET", "/threads/00000", keyOf("requestsPerMinute"));
    rejected += status === 429 ? 1 : 0;
    if (status === 404 && began === minute()) {
      allowed.set(began, (allowed.get(began) ?? 0) + 1);
    }
  });
  expect([...allowed.values()].filter((count) => count > LIMITS.requestsPerMinute)).toEqual([]);
  expect(Math.max(...allowed.values())).toBeGreaterThan(LIMITS.requestsPerMinute / 2);
  expect(rejected).toBeGreaterThan(0);
}, 1_200_000);

test("tokens of a day are exceeded at most by the chats in progress", async () => {
  let answered = 0;
  await attack(async () => {
    const status = await chatAs("tokensPerDay");
    answered += status === 200 ? 1 : 0;
  });
  expect(answered * TOKENS).toBeGreaterThanOrEqual(LIMITS.tokensPerDay);
  expect(answered * TOKENS).toBeLessThan(LIMITS.tokensPerDay + WORKERS * TOKENS);
}, 1_200_000);

test("live threads never exceed their number, and deletions, failures and repetitions leave no count", async () => {
  const threads = new Set<string>();
  const deleting = new Set<string>();
  let [most, creations, rejected] = [0, 0, 0];
  const create = (headers: Record<string, string> = {}, body: object = {}) =>
    service.call("POST", "/threads", { body, headers, ...keyOf("liveThreads") });
  const remove = async (id: string) => {
    deleting.add(id);
    const { status } = await service.call("DELETE", `/threads/${id}`, keyOf("liveThreads"));
    expect(status).toBe(200);
    threads.delete(id);
    deleting.delete(id);
  };
  await attack(async () => {
    const [id] = [...threads].filter((one) => !deleting.has(one));
    const dice = random();
    if (id && dice < 0.35) {
      await remove(id);
    } else if (dice < 0.45) {
      await create({}, { patientId: "00000000-0000-4000-8000-000000000000" }); // fails
    } else if (id && dice < 0.55) {
      await chatAs("liveThreads", { threadId: id });
    } else {
      const { status, body, headers } = await create(dice < 0.65 ? { "idempotency-key": `key-${creations % 5}` } : {});
      rejected += status === 429 ? 1 : 0;
      if (status === 201 && !headers.has("idempotent-replayed")) {
        creations++;
        threads.add(body.threadId);
        most = Math.max(most, threads.size - deleting.size);
      }
    }
  });
  expect(most).toBeLessThanOrEqual(LIMITS.liveThreads);
  expect(Math.min(creations, rejected)).toBeGreaterThan(STEPS / 100);
  await Promise.all([...threads].map(remove));
  for (let count = 0; count < LIMITS.liveThreads; count++) {
    expect((await create()).status).toBe(201);
  }
  expect((await create()).status).toBe(429);
}, 1_200_000);
