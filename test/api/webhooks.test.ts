import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { recordEvent } from "../../shared/events/outbox.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { eventually } from "../helpers/eventually.ts";
import { addClients } from "../helpers/service/clients.ts";
import { answerWith, type Received, type Receiver, startReceiver } from "../helpers/service/receiver.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.received.splice(0);
  receiver.answer = answerWith(204);
});
afterEach(async () => {
  for (const { id } of (await service.call("GET", "/webhooks")).body.webhooks) {
    await service.call("DELETE", `/webhooks/${id}`);
  }
});
afterAll(() => receiver.stop());

const create = (fields: object = {}) =>
  service.call("POST", "/webhooks", { body: { url: receiver.url, events: ["patient.erased"], ...fields } });

const messages = (count = 1) =>
  eventually(
    () => receiver.received,
    ({ length }) => length >= count,
  );

/** Verifies a message with the library of Standard Webhooks. @returns the payload; throws if the signature is wrong */
const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

/** Erases a new patient, which is an event. @returns the patient's id */
async function erasePatient(): Promise<string> {
  const { id } = await service.newPatient();
  await service.call("DELETE", `/patients/${id}`);
  return id;
}

describe("a webhook", () => {
  test("is told of an event at once, with a signature that its library verifies", async () => {
    const events = ["patient.erased", "patient.erased"];
    const { status, body } = await create({ description: "for the clinic's inbox", events });
    expect(status).toBe(201);
    expect(body.webhook.events).toEqual(["patient.erased"]);
    const patientId = await erasePatient();
    const [message] = (await messages()) as [Received];
    expect(verify(body.secret, message)).toEqual({
      type: "patient.erased",
      timestamp: expect.any(String),
      data: { patientId },
    });
    expect(message.headers["content-type"]).toBe("application/json");
    expect(message.headers["webhook-id"]).toMatch(/^evt_\w+$/);
    expect(() => verify((body.secret as string).replace(/.{4}=$/, "AAA="), message)).toThrow();
  });

  test("is told of a certain alert in a thread with its level, and with nothing that was said", async () => {
    await create({ events: ["safety.alert"] });
    await erasePatient(); // an event of another type
    const patient = await service.newPatient();
    const threadId = await service.newThread({ patientId: patient.id });
    await service.chat({ message: "I have crushing chest pain and my left arm is numb", threadId });
    await service.chat({ message: "I have crushing chest pain and my left arm is numb" }); // without a thread
    await service.chat({ message: "When does the pharmacy open?", threadId: await service.newThread() });
    const [{ body }] = (await messages()) as [Received];
    const [, first] = (await service.call("GET", `/threads/${threadId}/messages`)).body.messages;
    expect(body).toEqual({
      type: "safety.alert",
      timestamp: first.createdAt,
      data: {
        threadId,
        patientId: patient.id,
        messageId: first.id,
        level: "emergency",
        expiresAt: (await service.thread(threadId)).expiresAt,
      },
    });
    expect(receiver.received).toHaveLength(1);
  });

  test("gets a repetition of what it did not accept, with the same id", async () => {
    receiver.answer = answerWith(500);
    const { webhook } = (await create()).body;
    await erasePatient();
    await messages();
    const listed = await eventually(
      async () => (await service.call("GET", "/webhooks")).body.webhooks,
      ([{ state }]) => state === "failing",
    );
    const times = { failingSince: expect.any(String), undeliveredSince: expect.any(String) };
    expect(listed).toEqual([{ ...webhook, ...times, state: "failing", lastFailure: "status" }]);
    receiver.answer = answerWith(200);
    const [first, second] = (await messages(2)) as [Received, Received];
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.text).toBe(first.text);
    const [after] = await eventually(
      async () => (await service.call("GET", "/webhooks")).body.webhooks,
      ([{ state }]) => state === "active",
    );
    expect(after).toEqual(webhook);
  });

  test("is disabled by a 410, and enabled again by a test that it accepts", async () => {
    receiver.answer = answerWith(410);
    const { webhook } = (await create()).body;
    await erasePatient();
    const [listed] = await eventually(
      async () => (await service.call("GET", "/webhooks")).body.webhooks,
      ([{ state }]) => state === "disabled",
    );
    expect(listed).toMatchObject({ state: "disabled", disabledBecause: "gone" });
    const again = () => service.call("POST", `/webhooks/${webhook.id}/test`);
    expect((await again()).body).toEqual({ success: true, accepted: false, status: 410, failure: "gone" });
    receiver.answer = answerWith(200);
    expect((await again()).body).toEqual({ success: true, accepted: true, status: 200 });
    expect((await service.call("GET", "/webhooks")).body.webhooks).toEqual([webhook]);
  });

  test("is not told of anything after its deletion", async () => {
    receiver.answer = answerWith(500);
    const { webhook } = (await create()).body;
    await erasePatient();
    await messages();
    expect((await service.call("DELETE", `/webhooks/${webhook.id}`)).body.success).toBe(true);
    expect((await service.call("DELETE", `/webhooks/${webhook.id}`)).status).toBe(404);
    const sent = receiver.received.length;
    receiver.answer = answerWith(200);
    const other = await create();
    await erasePatient();
    const later = (await messages(sent + 1)).slice(sent);
    expect(later).toHaveLength(1);
    expect(() => verify(other.body.secret, later[0] as Received)).not.toThrow();
  });

  test.each([
    ["a redirect", answerWith(302, { location: "http://127.0.0.1:1/" }), { status: 302, failure: "redirect" }],
    ["a server error", answerWith(503), { status: 503, failure: "status" }],
    ["a closed connection", ((response) => response.destroy()) as Receiver["answer"], { failure: "connection" }],
  ])("that answers a test with %s has not accepted it", async (_, answer, expected) => {
    receiver.answer = answer;
    const { webhook } = (await create()).body;
    const { body } = await service.call("POST", `/webhooks/${webhook.id}/test`);
    expect(body).toEqual({ success: true, accepted: false, ...expected });
    expect(receiver.received).toHaveLength(1);
  });

  test("may answer with a body of any length, of which only the beginning is read", async () => {
    let written = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && written < 100_000_000) {
          written += 10_000;
          if (!response.write("x".repeat(10_000))) {
            response.once("drain", write);
            return;
          }
        }
      };
      write();
    };
    const { webhook } = (await create()).body;
    expect((await service.call("POST", `/webhooks/${webhook.id}/test`)).body).toMatchObject({ accepted: true });
    expect(written).toBeLessThan(20_000_000); // what the connection's buffers hold
  });
});

describe("the secret of a webhook", () => {
  test("is shown only when it is created and when it is replaced", async () => {
    const { webhook, secret } = (await create()).body;
    expect(Buffer.from(secret.replace("whsec_", ""), "base64")).toHaveLength(32);
    const { body } = await service.call("GET", "/webhooks");
    expect(body.webhooks).toEqual([webhook]);
    expect(JSON.stringify(body)).not.toContain("whsec_");
  });

  test("signs for another day after it was replaced, but not after a second replacement", async () => {
    const { webhook, secret } = (await create()).body;
    const rotate = async () => (await service.call("POST", `/webhooks/${webhook.id}/rotate`)).body;
    const second = await rotate();
    const hours = (Date.parse(second.previousSecretUntil) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    await service.call("POST", `/webhooks/${webhook.id}/test`);
    for (const valid of [secret, second.secret]) {
      expect(verify(valid, receiver.received[0] as Received)).toMatchObject({ type: "webhook.test", data: {} });
    }
    const third = await rotate();
    await service.call("POST", `/webhooks/${webhook.id}/test`);
    for (const valid of [second.secret, third.secret]) {
      expect(() => verify(valid, receiver.received[1] as Received)).not.toThrow();
    }
    expect(() => verify(secret, receiver.received[1] as Received)).toThrow();
  });
});

describe("POST /webhooks", () => {
  test.each([
    ["without https", { url: "http://example.com/" }, "url: must begin with https://"],
    ["with credentials", { url: "https://user:word@example.com/" }, "url: must not contain a user name or a password"],
    ["with a private address", { url: "https://10.0.0.1/" }, "url: must not lead to an address that is not public"],
    [
      "with a host that does not exist",
      { url: "https://no.such.host.invalid/" },
      "url: has a host that cannot be resolved",
    ],
    ["that is none", { url: "nowhere" }, "url: must be a URL"],
  ])("rejects a URL %s", async (_, fields, error) => {
    const { status, body } = await create(fields);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error, details: [{ path: "url" }] });
  });

  test.each([
    ["no events", { events: [] }, "events: must not be empty"],
    ["an event that does not exist", { events: ["thread.created"] }, /^events\.0: must be "safety.alert" or /],
    ["no URL", { url: undefined }, "url: is required"],
    ["a long description", { description: "x".repeat(201) }, "description: must have at most 200 characters"],
  ])("rejects %s", async (_, fields, error) => {
    const { status, body } = await create(fields);
    expect(status).toBe(400);
    expect(body.error).toEqual(typeof error === "string" ? error : expect.stringMatching(error));
  });

  test("creates ten webhooks, even if more are requested at the same time, and another one after a deletion", async () => {
    const replies = await Promise.all(Array.from({ length: 14 }, () => create()));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(4).fill(409)]);
    const rejected = replies.find(({ status }) => status === 409);
    expect(rejected?.headers.get("x-error-code")).toBe("too-many-webhooks");
    const { webhooks } = (await service.call("GET", "/webhooks")).body;
    const times = webhooks.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual(times.toSorted());
    await service.call("DELETE", `/webhooks/${webhooks[0].id}`);
    expect((await create()).status).toBe(201);
  });
});

describe("another tenant", () => {
  const stranger = { key: "key-of-another-clinic" };
  beforeAll(() => addClients(service, { other: { keys: [stranger.key], tenant: "another-clinic" } }));

  test("neither sees nor changes a webhook, gets none of its events, and has webhooks of its own", async () => {
    const { webhook } = (await create()).body;
    expect((await service.call("GET", "/webhooks", stranger)).body.webhooks).toEqual([]);
    for (const [method, path] of [
      ["DELETE", ""],
      ["POST", "/rotate"],
      ["POST", "/test"],
    ] as const) {
      const reply = await service.call(method, `/webhooks/${webhook.id}${path}`, stranger);
      expect([reply.status, reply.body.error]).toEqual([404, "Webhook not found"]);
    }
    const body = { name: "Sam Example" };
    const { patient } = (await service.call("POST", "/patients", { body, ...stranger })).body;
    await service.call("DELETE", `/patients/${patient.id}`, stranger);
    const own = await erasePatient();
    expect((await messages()).map(({ body }) => body.data)).toEqual([{ patientId: own }]);
  });

  test("reads none of the events in GET /events, which lists 50 at a time", async () => {
    const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "EVENTS_TABLE");
    process.env.EVENTS_TABLE = TableName;
    const client = documentClient(service.dynamoDbEndpoint);
    const aMinuteAgo = Date.now() - 60_000;
    for (let count = 0; count < 51; count++) {
      const { Item } = { ...recordEvent(LOCAL_TENANT, { type: "safety.alert" }, aMinuteAgo).Put };
      await client.send(new PutCommand({ TableName, Item }));
    }
    client.destroy();
    const { events, hasMore } = (await service.call("GET", "/events")).body;
    expect({ length: events.length, hasMore }).toEqual({ length: 50, hasMore: true });
    const ofStranger = (await service.call("GET", "/events", stranger)).body.events;
    expect(ofStranger.filter(({ type }: { type: string }) => type === "safety.alert")).toEqual([]);
  });
});

test("the number of webhooks, which is stored beside them, cannot be deleted as one", async () => {
  expect((await service.call("DELETE", "/webhooks/~count")).status).toBe(404);
});

test("what is logged contains neither a URL nor a secret", async () => {
  const { secret } = (await create({ url: `${receiver.url}?token=of-the-receiver` })).body;
  await erasePatient();
  await messages();
  const logs = service.logs.join("\n");
  for (const word of [secret, receiver.url, "of-the-receiver", "whsec_"]) {
    expect(logs).not.toContain(word);
  }
});
