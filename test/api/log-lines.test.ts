import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { echo } from "../helpers/model/scripted-model.ts";
import { type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService({}); // of its own, so that no earlier connection to the model is open
beforeAll(async () => {
  service.model.keepAlive = false; // a connection per attempt, so that each attempt is logged
});

let requests = 0;

/** The log lines of a request, up to its final request line. */
async function linesOf(method: string, path: string, options: CallOptions = {}) {
  const id = `logged-${++requests}`;
  const reply = await service.call(method, path, { ...options, headers: { ...options.headers, "x-request-id": id } });
  const lines = await service.linesOf(id);
  return { reply, lines, request: lines.at(-1) };
}

/** The fields that the saved queries use, by the event that they search for. */
function queriedFields(): Map<string, string[]> {
  const template = JSON.parse(
    readFileSync(join(process.env.TEST_CLOUD_ASSEMBLY ?? "", "health-assistant-dev.template.json"), "utf8"),
  ) as { Resources: Record<string, { Type: string; Properties: { QueryString: string } }> };
  const fields = new Map<string, string[]>();
  for (const { Type, Properties } of Object.values(template.Resources)) {
    const event = Type === "AWS::Logs::QueryDefinition" && /event = "([\w-]+)"/.exec(Properties.QueryString)?.[1];
    if (event) {
      const named = [...Properties.QueryString.matchAll(/message\.([\w.]+)/g)].map(([, name]) => name ?? "");
      fields.set(event, [...new Set([...(fields.get(event) ?? []), ...named])]);
    }
  }
  return fields;
}

describe("every field that a saved query uses", () => {
  const queried = queriedFields();
  const inQueries = (event: string) => queried.get(event) ?? [];

  test("belongs to an event that these tests cover", () => {
    expect([...queried.keys()].sort()).toEqual(["audit", "failure", "model-failure", "request"]);
  });

  test("is in the request line of a chat", async () => {
    const threadId = await service.newThread();
    const { request } = await linesOf("POST", "/chat", { body: { message: "hello", threadId } });
    const ofOthers = ["error", "quota", "previousKey"]; // concurrent-requests.test.ts and keys.test.ts have requests with these
    expect([...Object.keys(request), ...ofOthers]).toEqual(expect.arrayContaining(inQueries("request")));
    expect(request).toMatchObject({
      client: "local",
      tenant: "local",
      modelMs: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(request).toMatchObject({ databaseMs: expect.any(Number), screenMs: expect.any(Number) });
    expect(request.databaseMs).toBeGreaterThan(0);
    expect(request.databaseMs).toBeLessThanOrEqual(request.durationMs);
  });

  test("is in the lines of a model failure and of the request failure that it causes", async () => {
    service.model.script = () => ({ status: 401 });
    const { reply, lines } = await linesOf("POST", "/chat", { body: { message: "hello" } });
    expect(reply.status).toBe(500);
    for (const event of ["model-failure", "failure"]) {
      const line = lines.find((candidate) => candidate.event === event);
      expect(Object.keys(line)).toEqual(expect.arrayContaining(inQueries(event)));
    }
    expect(lines).toMatchObject([
      { event: "model-failure", "error.type": "authentication", errorName: "ModelError" },
      { event: "failure", route: "chat", kind: "model", errorName: "ModelError", reason: "authentication" },
      { event: "request", error: "model", status: 500 },
    ]);
  });

  test("is in the audit line of an access to a patient", async () => {
    const { id } = (await service.call("POST", "/patients", { body: { name: "Pat Example" } })).body.patient;
    const { lines } = await linesOf("GET", `/patients/${id}`);
    const line = lines.find(({ event }) => event === "audit");
    expect(Object.keys(line)).toEqual(expect.arrayContaining(inQueries("audit")));
  });
});

describe("the request line", () => {
  test("names the thread, the patient and the client, but neither phone number nor name", async () => {
    const patient = { name: "Pat Example", age: 40, gender: "x", phone_number: "5550170001" };
    const created = await linesOf("POST", "/patients", { body: patient });
    const patientId = created.reply.body.patient.id;
    expect(created.request).toMatchObject({ client: "local", tenant: "local", patientId, status: 201 });
    const opened = await linesOf("POST", "/threads", { body: { phone: patient.phone_number } });
    const { threadId } = opened.reply.body;
    expect(opened.request).toMatchObject({ client: "local", tenant: "local", patientId, threadId, status: 201 });
    const chat = await linesOf("POST", "/chat", { body: { message: "hello", threadId } });
    expect(chat.request).toMatchObject({ client: "local", tenant: "local", patientId, threadId, status: 200 });
    const read = await linesOf("GET", `/patients/${patientId}`);
    expect(read.request).toMatchObject({ client: "local", tenant: "local", patientId, status: 200 });
    const looked = await linesOf("GET", `/threads/${threadId}`);
    expect(looked.request).toMatchObject({ client: "local", tenant: "local", patientId, threadId, status: 200 });
    const all = JSON.stringify([created, opened, chat, read, looked].map(({ lines }) => lines));
    expect(all).not.toMatch(/Pat Example|5550170001/);
  });

  test("says how long the model took, or that the answer was replayed", async () => {
    service.model.script = async (request) => ({ ...echo(request), delayMs: 30 });
    const threadId = await service.newThread();
    const options = { body: { message: "hello", threadId }, headers: { "idempotency-key": "a-key" } };
    const first = await linesOf("POST", "/chat", options);
    expect(first.request.modelMs).toBeGreaterThanOrEqual(29);
    expect(first.request.modelMs).toBeLessThanOrEqual(first.request.durationMs);
    expect(first.request).not.toHaveProperty("replayed");
    const second = await linesOf("POST", "/chat", options);
    expect(second.reply.body).toEqual(first.reply.body);
    expect(second.request).toMatchObject({ replayed: true, threadId });
    for (const name of ["modelMs", "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"]) {
      expect(second.request).not.toHaveProperty(name);
    }
  });
});
