import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { ENDING_FORMS, USAGE_FORMS, type WireForm } from "../../tools/safety/wire-forms.ts";
import { eventually } from "../helpers/eventually.ts";
import { addClients } from "../helpers/service/clients.ts";
import { type Reply, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
beforeAll(async () => {
  const client = (name: string, quotas?: Record<string, number>) => ({
    [name]: { keys: [`key-of-${name}`], tenant: "clinic", ...(quotas && { quotas }) },
  });
  await addClients(service, {
    ...client("free"),
    ...client("hundred", { requestsPerMinute: 100 }),
    ...client("few", { requestsPerMinute: 12 }),
    ...client("one-chat", { concurrentChats: 1 }),
    ...client("tokens", { tokensPerDay: 20 }),
    ...client("no-usage", { tokensPerDay: 1_000 }),
    ...client("cut", { tokensPerDay: 100 }),
    ...client("threads", { liveThreads: 3 }),
    ...client("replays", { liveThreads: 3 }),
    ...client("danger", { tokensPerDay: 10, concurrentChats: 1 }),
  });
});

const call = (client: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.call(method, path, { body, key: `key-of-${client}`, ...(headers && { headers }) });
const chat = (client: string, body: object = {}, headers?: Record<string, string>) =>
  call(client, "POST", "/chat", { message: "When does the pharmacy open?", ...body }, headers);
const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

/** Waits for the next minute if little of this one is left: request quotas count by clock minute. */
async function withinOneMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 20_000) {
    await setTimeout(left + 100);
  }
}

describe("requests per minute", () => {
  test("over the limit are a 429 until the minute ends, and change nothing; other clients of the tenant are not affected", async () => {
    await withinOneMinute();
    await eventually(
      () => call("few", "GET", "/threads/00000"),
      ({ status }) => status === 429,
    );
    const { status, headers, body } = await call("few", "POST", "/patients", { phone_number: "5550177001" });
    expect([status, body]).toEqual([429, { success: false, error: "Too many requests" }]);
    expect(headers.get("ratelimit-policy")).toContain('"requestsPerMinute";q=12;w=60');
    expect(headers.get("ratelimit")).toContain(`"requestsPerMinute";r=0;t=${headers.get("retry-after")}`);
    expect(await chat("few", { message: "" })).toMatchObject({ status: 400 }); // invalid, whoever sends it
    const search = await call("free", "POST", "/patients/search", { phone_number: "5550177001" });
    expect(search.body.patients).toEqual([]); // a rejected request has written nothing
    expect((await call("hundred", "GET", "/openapi.json")).status).toBe(200);
    expect((await call("free", "GET", "/threads/00000")).status).toBe(404);
    expect((await call("free", "GET", "/threads/00000")).headers.get("ratelimit")).toBeNull();
  });
});

describe("concurrent chats", () => {
  test("over the limit are rejected until another chat ends", async () => {
    const rest = Promise.withResolvers<void>();
    const asked = service.model.requests.length;
    service.model.script = async () => {
      if (service.model.requests.length === asked + 1) {
        await rest.promise;
      }
      return { content: "slow" };
    };
    const slow = chat("one-chat");
    await eventually(
      () => service.model.requests.length,
      (found) => found > asked,
    );
    const rejected = await chat("one-chat");
    expect([rejected.status, rejected.body.error]).toEqual([429, "Too many concurrent chats"]);
    expect(rejected.headers.get("retry-after")).toBe("1");
    expect((await chat("free")).status).toBe(200);
    rest.resolve();
    expect((await slow).status).toBe(200);
    service.model.script = ({ messages }) => ({ content: `answer to: ${messages.at(-1)?.content}` });
    for (let again = 0; again < 3; again++) {
      expect(statuses([await chat("one-chat")])).toEqual([200]);
    }
  });
});

describe("tokens per day", () => {
  test("over the limit cause a 429 until midnight UTC", async () => {
    expect(statuses([await chat("tokens"), await chat("tokens"), await chat("tokens")])).toEqual([200, 200, 429]);
    const { body, headers } = await chat("tokens");
    expect(body).toEqual({ success: false, error: "Daily token quota used up" });
    const untilMidnight = 86_400 - ((Date.now() / 1000) % 86_400);
    expect(Math.abs(Number(headers.get("retry-after")) - untilMidnight)).toBeLessThan(2);
    expect(headers.get("ratelimit")).toMatch(/^"tokensPerDay";r=0;t=\d+$/);
    expect((await call("tokens", "POST", "/threads", {})).status).toBe(201);
  });

  const formOf = (name: string) => [...USAGE_FORMS, ...ENDING_FORMS].find((form) => form.name === name) as WireForm;
  test.each<[string, string, WireForm, number]>([
    ["answers without a usage", "no-usage", formOf("no usage"), 200],
    ["answers that were cut", "cut", formOf('the reason "max_tokens"'), 500],
  ])("are also used up by %s", async (_, client, wire, status) => {
    const { script } = service.model;
    service.model.script = () => ({ wire });
    const replies: Reply[] = [];
    while (replies.length < 20 && replies.at(-1)?.status !== 429) {
      replies.push(await chat(client)); // without a usage, a prompt is estimated at some hundred tokens
    }
    service.model.script = script;
    expect(new Set(statuses(replies))).toEqual(new Set([status, 429]));
    expect(replies.at(-1)?.body).toEqual({ success: false, error: "Daily token quota used up" });
  });
});

describe("live threads", () => {
  test("over the limit are rejected until another thread is deleted; a failed creation does not count", async () => {
    const create = () => call("threads", "POST", "/threads", {});
    expect((await call("threads", "POST", "/threads", { patientId: "none" })).status).toBe(404);
    const created = await Promise.all(Array.from({ length: 8 }, create));
    expect(created.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(3);
    const threads = created.filter(({ status }) => status === 201).map(({ body }) => body.threadId);
    while (threads.length < 3) {
      threads.push((await create()).body.threadId);
    }
    const rejected = await create();
    expect([rejected.status, rejected.body]).toEqual([429, { error: "Too many live threads" }]);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(25 * 60);
    expect((await call("free", "POST", "/threads", {})).status).toBe(201);
    expect((await call("free", "DELETE", `/threads/${threads[0]}`)).status).toBe(200);
    expect(statuses([await create(), await create()])).toEqual([201, 429]);
  });

  test("are not used up by replays: a request that creates no thread does not count", async () => {
    const create = (key: string) => call("replays", "POST", "/threads", {}, { "idempotency-key": key });
    const first = await create("first");
    for (let again = 0; again < 3; again++) {
      expect((await create("first")).body).toEqual(first.body);
    }
    const second = await create("second");
    expect(second.status).toBe(201);
    expect(second.headers.get("ratelimit")).toContain('"liveThreads";r=1;');
  });
});

describe("a message with an alert", () => {
  test("gets its safety text without the model and is stored, even over the quota", async () => {
    await eventually(
      () => chat("danger"),
      ({ status }) => status === 429,
    );
    const { threadId } = (await call("danger", "POST", "/threads", {})).body;
    const asked = service.model.requests.length;
    const message = "I took a whole bottle of sleeping pills an hour ago";
    const { status, body } = await chat("danger", { message, threadId });
    expect([status, body.messageCount]).toEqual([200, 2]);
    expect(body.response).toMatch(/\d{3}/);
    const keyed = await chat("danger", { message, threadId }, { "idempotency-key": "again" });
    expect(keyed).toMatchObject({ status: 200, body: { response: body.response } });
    expect(service.model.requests).toHaveLength(asked);
  });
});
