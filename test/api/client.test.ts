import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  ApiError,
  type ChatOptions,
  type ChatRequest,
  HealthAssistantClient,
} from "conversational-health-assistant-service/client";
import { collect } from "../helpers/collect.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let client: HealthAssistantClient;
beforeAll(async () => {
  client = new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: API_KEY });
});

/** A client that loses its first response after the service has sent it. */
function clientThatLosesAnAnswer(): { client: HealthAssistantClient; sent: () => number } {
  let sent = 0;
  const fetch = async (...request: Parameters<typeof globalThis.fetch>) => {
    const response = await globalThis.fetch(...request);
    if (++sent === 1) {
      await response.text();
      throw new TypeError("the connection was lost");
    }
    return response;
  };
  return { client: new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: API_KEY, fetch }), sent: () => sent };
}

describe("the client", () => {
  test("throws the service's errors with message, invalid fields, request id and existing patient", async () => {
    const rejected = client.chat({ message: "" }, { requestId: "visit-17" });
    await expect(rejected).rejects.toBeInstanceOf(ApiError);
    await expect(rejected).rejects.toMatchObject({
      status: 400,
      message: "message is required",
      details: [{ path: "message", message: "message is required" }],
      requestId: "visit-17",
    });
  });

  test("does not let a typo lose an allergy, unless it is told to ignore unknown fields", async () => {
    const typo = { name: "Typo Example", alergies: "latex" };
    const meant = [{ path: "alergies", message: "is not a known field; did you mean allergies?" }];
    await expect(client.createPatient(typo)).rejects.toMatchObject({ status: 400, details: meant });
    const { patient } = await client.createPatient(typo, { strict: false });
    expect(patient.allergies).toBeUndefined();
    const corrected = client.updatePatient(patient.id, typo);
    await expect(corrected).rejects.toMatchObject({ status: 400, details: meant });
  });

  test("erases a patient only in the state that was read", async () => {
    const { patient } = await client.createPatient({ name: "Pat Example" });
    const conflict = client.deletePatient(patient.id, { ifMatch: '"outdated"' });
    await expect(conflict).rejects.toMatchObject({ status: 412, code: "precondition-failed" });
    expect((await client.getPatient(patient.id)).patient.id).toBe(patient.id);
  });

  test("gets a 401 that says where the key belongs if its key is wrong, except for the OpenAPI document", async () => {
    const stranger = new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: "no-such-key" });
    const message = "Unauthorized - Invalid API key. The key is sent in the header X-API-Key";
    await expect(stranger.chat({ message: "hello" })).rejects.toMatchObject({ status: 401, message });
    await expect(stranger.streamChat({ message: "hello" }).next()).rejects.toMatchObject({ status: 401, message });
    await expect(stranger.openapi()).resolves.toHaveProperty("openapi");
  });
});

describe("a chat whose response is lost", () => {
  const ways: [
    string,
    (asked: HealthAssistantClient, request: ChatRequest, options?: ChatOptions) => Promise<unknown>,
  ][] = [
    ["chat", (asked, ...rest) => asked.chat(...rest)],
    ["streamChat", async (asked, ...rest) => (await collect(asked.streamChat(...rest))).at(-1)],
  ];

  test.each(ways)("(%s) is retried, and the model is called and the turn stored only once", async (_, chat) => {
    const { threadId } = await client.createThread();
    const asked = service.model.requests.length;
    const lossy = clientThatLosesAnAnswer();
    const answered = await chat(lossy.client, { threadId, message: "hello" });
    const body = { success: true, response: "answer to: hello", threadId, messageCount: 2 };
    expect([body, { event: "done", response: body }]).toContainEqual(answered);
    expect(lossy.sent()).toBe(2);
    expect(service.model.requests).toHaveLength(asked + 1);
    expect((await client.getThread(threadId)).thread.messageCount).toBe(2);
  });

  test("in the middle of its stream is replayed for the same idempotency key", async () => {
    const { threadId } = await client.createThread();
    const asked = service.model.requests.length;
    const request = { threadId, message: "hello" };
    for await (const _ of client.streamChat(request, { idempotencyKey: "sent-twice" })) {
      break; // the turn is stored anyway
    }
    const events = await collect(client.streamChat(request, { idempotencyKey: "sent-twice" }));
    expect(events.at(-1)).toMatchObject({ event: "done", response: { response: "answer to: hello", messageCount: 2 } });
    expect(service.model.requests).toHaveLength(asked + 1);
  });

  test("is retried for creations, which take effect once", async () => {
    const lossy = clientThatLosesAnAnswer();
    const { patient } = await lossy.client.createPatient({ name: "Lin Example", age: 40, gender: "x" });
    const other = clientThatLosesAnAnswer();
    const { threadId } = await other.client.createThread({ patientId: patient.id });
    expect([lossy.sent(), other.sent()]).toEqual([2, 2]);
    const { threads } = await client.listPatientThreads(patient.id);
    expect(threads.map((thread) => thread.threadId)).toEqual([threadId]);
  });
});

describe("an example runs as printed:", () => {
  /** What a program writes when it runs against the test's service. */
  async function outputOf(example: string): Promise<string> {
    const here = example.replace("http://127.0.0.1:3000/v1", service.baseUrl).replace("local-dev-key", API_KEY);
    expect(here).not.toContain(":3000/");
    const node = spawn(process.execPath, ["--input-type=module", "--eval", here], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output, [code]] = await Promise.all([text(node.stdout), once(node, "exit")]);
    expect(code).toBe(0);
    return output;
  }

  test("the one in the README", async () => {
    const readme = readFileSync("README.md", "utf8");
    const output = await outputOf(/^## Client$.*?^```js\n(.*?)^```$/ms.exec(readme)?.[1] ?? "");
    expect(output).toBe("answer to: Can I take ibuprofen?\n2 messages\n404 Thread not found or expired\n");
  });

  test("each in the client's README, after the one before", async () => {
    const readme = readFileSync("packages/client/README.md", "utf8");
    const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);
    expect(examples).toHaveLength(4);
    const output = await outputOf(
      examples
        .join("")
        .replaceAll(/"health-assistant-client(?=["/])/g, '"conversational-health-assistant-service/client'),
    );
    expect(output.split("\n")).toEqual([
      "answer to: Can I take ibuprofen?",
      ...[...examples.join("").matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, printed]) => printed),
      "",
    ]);
  });
});
