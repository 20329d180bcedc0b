import { BatchWriteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "@jest/globals";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { erasureTaskKey, handoffTaskKey, randomSweepShard, threadKey, turnKey } from "../../shared/dynamo/keys.ts";
import { recordEvent } from "../../shared/events/outbox.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { after, conflict } from "../helpers/database/faults.ts";
import { addClients } from "../helpers/service/clients.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { answerWith, startReceiver } from "../helpers/service/receiver.ts";
import { setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";
import { flat, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = readTemplate(assembly);

const threadsTable = String(
  [...template.functions.values()].find(({ environment }) => environment.THREADS_TABLE)?.environment.THREADS_TABLE,
);

const eventsTable = variableOf(template, "EVENTS_TABLE");
process.env.EVENTS_TABLE = eventsTable;

/** The actions that IAM would have checked, as `<function> <action> <table or index>`. */
const used = new Set<string>();

const service = setUpServiceWithFaults({ SWEEP_INTERVAL_SECONDS: "1", SECRETS_CACHE_SECONDS: "1" });

/** Requests without effects, one for each function. */
const PROBES: [method: string, path: string, body?: unknown][] = [
  ["GET", "/threads/none"],
  ["DELETE", "/threads/none"],
  ["GET", "/patients/none"],
  ["GET", "/patients/none/fhir"],
  ["POST", "/patients", {}],
  ["PATCH", "/patients/none", {}],
  ["DELETE", "/patients/none"],
  ["POST", "/patients/search", {}],
  ["GET", "/patients/none/threads"],
  ["GET", "/patients/none/export"],
  ["POST", "/threads", { phone: 1 }],
  ["GET", "/threads/none/messages"],
  ["GET", "/threads/none/handoff"],
  ["GET", "/feedback"],
  ["GET", "/sources"],
  ["GET", "/events"],
  ["POST", "/chat", {}],
  ["GET", "/webhooks"],
  ["POST", "/openai/v1/chat/completions", {}],
];
beforeAll(() => {
  const record = ({ userAgent, operation, body }: Call) => {
    const caller = /app\/(\w+)/.exec(userAgent)?.[1];
    for (const action of caller ? actionsOf(operation, body) : []) {
      used.add(`${caller} ${action}`);
    }
  };
  // A creation that has to be repeated also checks that the patient was not erased.
  for (const creating of [/CreatePatient/, /Fhir/]) {
    service.database.fail(
      ({ userAgent, operation }) => creating.test(userAgent) && operation === "TransactWriteItems",
      conflict,
    );
  }
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

/** What makes an item due in the sweep of this second. */
function dueNow() {
  return { sweepAt: new Date(Math.floor(Date.now() / 1000) * 1000).toISOString(), sweepShard: randomSweepShard() };
}

/** Stores a thread that has expired, or a caller's deletion of which was interrupted. */
async function seedExpired(threadId: string, more: object = {}): Promise<void> {
  const { sweepAt, sweepShard } = dueNow();
  const state = { generation: "seeded", version: 0, messageCount: 0, expiresAt: sweepAt };
  await seed([{ ...threadKey(LOCAL_TENANT, threadId), ...state, sweepAt, sweepShard, ...more }]);
}

/** Stores an interrupted erasure of a patient whom an event is about. */
async function seedErasure(patientId: string): Promise<void> {
  const client = documentClient(service.dynamoDbEndpoint);
  const event = recordEvent(LOCAL_TENANT, { type: "thread.expired", patientId }, Date.now()).Put?.Item;
  await client.send(new PutCommand({ TableName: eventsTable, Item: event }));
  client.destroy();
  await seed([{ ...erasureTaskKey(LOCAL_TENANT, patientId), ...dueNow() }]);
}

/** Chats as OpenAI's clients do. */
const complete = (content: string, metadata: object, headers: Record<string, string> = {}) =>
  service.call("POST", "/openai/v1/chat/completions", {
    body: { model: "health-assistant", messages: [{ role: "user", content }], metadata },
    headers,
  });

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
  await addClients(service, { metered: { keys: ["key-of-metered"], quotas: QUOTAS } });
  const key = "key-of-metered";
  await Promise.all(PROBES.map(([method, path, body]) => service.call(method, path, { key, body })));
  const patient = { name: "Pat Example", phone_number: "5550100001" };
  const { id } = (await call("POST", "/patients", { body: patient })).body.patient;
  await call("POST", "/patients", { body: patient });
  const other = (await call("POST", "/patients", { body: { name: "Another Example", age: 1, gender: "x" } })).body
    .patient.id;
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
  await call("POST", "/chat", { body: { message: "Can I talk to a real person?", threadId } });
  await call("PUT", `/threads/${threadId}/handoff`, { body: {} });
  await call("GET", `/threads/${threadId}/handoff`);
  await call("POST", `/threads/${threadId}/messages`, { body: { content: "hello", author: "Ana" } });
  await call("DELETE", `/threads/${threadId}/handoff`);
  await call("DELETE", `/threads/${threadId}/turns/key-3`);
  await call("DELETE", `/threads/${threadId}/turns/key-3`, { key: "key-of-metered" });
  await call("GET", `/threads/${threadId}/messages`);
  await call("GET", `/patients/${id}/threads`);
  await call("GET", `/patients/${id}/export`);
  await call("POST", "/patients/search", { body: { phone_number: "5550100001" } });
  const fhir = { resourceType: "Patient", name: [{ text: "Fhir Example" }] };
  await call("POST", "/patients/fhir", { body: fhir, headers: { "idempotency-key": "key-7" } });
  await call("PUT", `/patients/${id}/fhir`, { body: fhir });
  await call("GET", `/patients/${id}/fhir`);
  const metered = { key: "key-of-metered" };
  await call("DELETE", `/threads/${threadId}/handoff`, metered);
  await call("GET", `/threads/${threadId}/messages`, metered);
  await call("GET", `/patients/${id}/threads`, metered);
  await call("GET", `/patients/${id}/export`, metered);
  await call("DELETE", `/patients/${id}`, metered);
  await call("GET", `/patients/${id}/fhir`, metered);
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
  await complete("Can I talk to a real person?", { thread_id: bindable });
  await lengthen(erased);
  await call("DELETE", `/patients/${id}`);
  await call("DELETE", `/patients/${id}`);
  const long = (await call("POST", "/threads", { body: {} })).body.threadId;
  await lengthen(long);
  await call("DELETE", `/threads/${long}`);

  const source = { title: "Hours", text: "Open from 8 to 18." };
  await call("PUT", "/sources/hours", { body: source });
  await call("PUT", "/sources/hours", { body: source });
  await call("POST", "/chat", { body: { message: "When are you open?" } });
  await complete("When are you open?", {});
  await call("GET", "/sources");
  await call("GET", "/sources/hours");
  await call("DELETE", "/sources/hours");
  await call("PUT", "/profile", { body: { country: "US" } });
  const receiver = await startReceiver();
  receiver.answer = answerWith(500);
  const webhook = { url: receiver.url, events: ["patient.erased", "safety.alert"] };
  const created = (await call("POST", "/webhooks", { body: webhook })).body.webhook;
  await call("GET", "/webhooks");
  await call("POST", `/webhooks/${created.id}/rotate`);
  const alerted = (await call("POST", "/threads", { body: {} })).body.threadId;
  await call("POST", "/chat", { body: { message: "I have crushing chest pain", threadId: alerted, patientId: other } });
  receiver.answer = answerWith(200);
  await call("POST", `/webhooks/${created.id}/test`);
  await call("DELETE", `/patients/${other}`);
  await call("GET", "/events");
  await call("GET", "/webhooks", metered);
  await call("GET", "/events", metered);
  await call("GET", "/sources", metered);

  await seedExpired("00001");
  await lengthen("00002");
  await seedExpired("00002", { deleting: true });
  await seedErasure("00000000-0000-4000-8000-000000000001");
  const sweep = [...template.functions.keys()].find((name) => name.includes("Sweep"));
  const swept = (action: string) => used.has(`${sweep} ${action}`);
  const delivery = [...template.functions.keys()].find((name) => name.includes("DeliverEvents"));
  const later = new Date(Date.now() + 60_000).toISOString();
  await seedExpired("00003", { threadId: "00003", expiresAt: later, answerBy: new Date(0).toISOString() });
  await seedExpired("00003", { sk: handoffTaskKey(LOCAL_TENANT, "00003", "seeded").sk });
  const last = [
    ...["GetItem", "UpdateItem", "BatchWriteItem", "DeleteItem"].map((action) => `${action} ${threadsTable}`),
    ...["UpdateItem", "PutItem"].map((action) => `${action} ${eventsTable}`),
  ];
  const isDone = () => last.every(swept) && used.has(`${delivery} DeleteItem ${eventsTable}`);
  for (let tries = 0; !isDone() && tries < 600; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  receiver.stop();
  await call("DELETE", `/webhooks/${created.id}`);

  expect([...used].sort()).toEqual(granted().sort());
});
