import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "@jest/globals";
import { documentClient } from "../../local/database.ts";
import { readTemplate } from "../../local/template.ts";
import { randomSweepShard, threadKey, turnKey } from "../../shared/dynamo/keys.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { after } from "../helpers/database/faults.ts";
import { addClients } from "../helpers/service/clients.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";
import { flat, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = readTemplate(assembly);

const threadsTable = String(
  [...template.functions.values()].find(({ environment }) => environment.THREADS_TABLE)?.environment.THREADS_TABLE,
);

/** The actions that IAM would have checked, as `<function> <action> <table or index>`. */
const used = new Set<string>();

const service = setUpServiceWithFaults({ SWEEP_INTERVAL_SECONDS: "1", SECRETS_CACHE_SECONDS: "1" });
beforeAll(() => {
  const record = ({ userAgent, operation, body }: Call) => {
    const caller = /app\/(\w+)/.exec(userAgent)?.[1];
    for (const action of caller ? actionsOf(operation, body) : []) {
      used.add(`${caller} ${action}`);
    }
  };
  service.database.fail("all", after(record), Number.POSITIVE_INFINITY);
});

/** The actions that IAM checks for a call. For a transaction, IAM checks each of its actions. */
// biome-ignore lint/suspicious/noExplicitAny: the body of a call depends on its operation
function actionsOf(operation: string, body: any): string[] {
  if (operation === "TransactWriteItems") {
    return body.TransactItems.flatMap((item: Record<string, { TableName: string }>) =>
      Object.entries(item).map(([kind, { TableName }]) => `${kind}Item ${TableName}`),
    );
  }
  if (operation === "BatchWriteItem") {
    return Object.keys(body.RequestItems).map((table) => `BatchWriteItem ${table}`);
  }
  return [`${operation} ${body.TableName}${body.IndexName ? `/index/${body.IndexName}` : ""}`];
}

/** Stores 100 turns for a thread: too many to delete in one batch. */
async function lengthen(threadId: string): Promise<void> {
  for (let start = 0; start < 100; start += 25) {
    await seed(Array.from({ length: 25 }, (_, index) => turnKey(LOCAL_TENANT, threadId, "seeded", start + index)));
  }
}

/** Chats as OpenAI's clients do. */
const complete = (content: string, metadata: object, headers: Record<string, string> = {}) =>
  service.call("POST", "/openai/v1/chat/completions", {
    body: { model: "health-assistant", messages: [{ role: "user", content }], metadata },
    headers,
  });

/** Stores an expired thread that is due in the sweep of this second. */
async function seedExpired(threadId: string): Promise<void> {
  const second = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
  await seed([
    {
      ...threadKey(LOCAL_TENANT, threadId),
      generation: "seeded",
      version: 0,
      messageCount: 0,
      expiresAt: second,
      sweepAt: second,
      sweepShard: randomSweepShard(),
    },
  ]);
}

async function seed(items: Record<string, unknown>[]): Promise<void> {
  const client = documentClient(service.dynamoDbEndpoint);
  const RequestItems = { [threadsTable]: items.map((Item) => ({ PutRequest: { Item } })) };
  await client.send(new BatchWriteCommand({ RequestItems }));
  client.destroy();
}

/**
 * The DynamoDB permissions of the template's functions: `<function> <action> <table or index>`, such as
 * `ApiChat Query Threads/index/by-sweep`; names are logical ids.
 */
function granted(): string[] {
  const resources = new Template(assembly);
  return resources.ofType("AWS::Lambda::Function").flatMap(([name, { Properties }]) =>
    resources.statementsOf(target(Properties.Role)).flatMap(({ Action, Resource }) => {
      const actions: string[] = [Action].flat().filter((action) => action.startsWith("dynamodb:"));
      const tables = [Resource].flat().map((resource) => flat(resource).replaceAll(/[<>]/g, ""));
      return actions.flatMap((action) => tables.map((table) => `${name} ${action.replace("dynamodb:", "")} ${table}`));
    }),
  );
}

/** Every quota, so that functions also count. */
const QUOTAS = { requestsPerMinute: 10_000, concurrentChats: 100, tokensPerDay: 1_000_000, liveThreads: 1_000 };

test("each function has exactly the database permissions that it uses", async () => {
  const { call } = service;
  await addClients(service, { metered: { keys: ["key-of-metered"], quotas: QUOTAS } }); // calls every function
  const patient = { name: "Pat Example", phone_number: "5550100001" };
  const { id } = (await call("POST", "/patients", { body: patient })).body.patient;
  await call("POST", "/patients", { body: patient });
  await call("GET", `/patients/${id}`);
  await call("POST", "/threads", { body: { phone: "15550100001" } });
  await call("POST", "/threads", { body: { phone: "15550100002" } });
  const { threadId } = (await call("POST", "/threads", { body: { patientId: id } })).body;
  await call("GET", `/threads/${threadId}`);

  const once = { "idempotency-key": "key-1" };
  await call("POST", "/chat", { body: { message: "hello", threadId }, headers: once });
  await call("POST", "/chat", { body: { message: "hello", threadId }, headers: once });
  await (await openStream(service, { message: "hello", phone: "15550100001" })).rest();
  await complete("hello", { thread_id: threadId }, once);
  service.model.script = () => ({ status: 401 });
  await call("POST", "/chat", {
    body: { message: "When does the pharmacy open?", threadId },
    headers: { "idempotency-key": "key-2" },
  });
  await complete("When does the pharmacy open?", { thread_id: threadId }, { "idempotency-key": "key-6" });
  service.model.script = () => ({ content: "slow", delayMs: 300 });
  const parallel = { body: { message: "And on Sunday?", threadId }, headers: { "idempotency-key": "key-3" } };
  await Promise.all([call("POST", "/chat", parallel), call("POST", "/chat", parallel)]);

  const { messages } = (await call("GET", `/threads/${threadId}/messages`)).body;
  const feedback = `/threads/${threadId}/messages/${messages[0].id}/feedback`;
  await call("PUT", feedback, { body: { rating: "bad" } });
  await call("DELETE", feedback);
  await call("GET", "/feedback", { key: "key-of-metered" });
  await call("GET", `/patients/${id}/threads`);
  await call("GET", `/patients/${id}/export`);
  await call("POST", "/patients/search", { body: { phone_number: "5550100001" } });
  const metered = { key: "key-of-metered" };
  await call("GET", `/threads/${threadId}/messages`, metered);
  await call("GET", `/patients/${id}/threads`, metered);
  await call("GET", `/patients/${id}/export`, metered);
  await call("DELETE", `/patients/${id}`, metered);
  await call("PATCH", `/patients/${id}`, { ...metered, body: { age: 1 } });
  await call("POST", "/patients/search", { ...metered, body: { phone_number: "5550100009" } });
  await call("POST", "/patients/search", { body: { phone_number: "5550100009" } });
  await call("PATCH", `/patients/${id}`, { body: { phone_number: "5550100003" } });
  await call("POST", "/patients", { body: { name: "Keyed Example" }, headers: { "idempotency-key": "key-4" } });
  await call("POST", "/threads", { body: {}, headers: { "idempotency-key": "key-5" } });
  await call("DELETE", `/threads/${threadId}`);

  const erased = (await call("POST", "/threads", { body: { patientId: id } })).body.threadId;
  const bound = (await call("POST", "/threads", { body: {} })).body.threadId;
  await call("POST", "/chat", { body: { message: "hello", threadId: bound, patientId: id } });
  const bindable = (await call("POST", "/threads", { body: {} })).body.threadId;
  await complete("hello", { thread_id: bindable, patient_id: id });
  await lengthen(erased);
  await call("DELETE", `/patients/${id}`);
  await call("DELETE", `/patients/${id}`);
  const long = (await call("POST", "/threads", { body: {} })).body.threadId;
  await lengthen(long);
  await call("DELETE", `/threads/${long}`);

  await seedExpired("00001");
  await lengthen("00002");
  await seedExpired("00002");
  const sweep = [...template.functions.keys()].find((name) => name.includes("Sweep"));
  const swept = (action: string) => used.has(`${sweep} ${action} ${threadsTable}`);
  const last = ["UpdateItem", "BatchWriteItem", "DeleteItem"]; // it may find some of them already marked
  for (let tries = 0; !last.every(swept) && tries < 600; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  expect([...used].sort()).toEqual(granted().sort());
});
