import { beforeAll, describe, expect, test } from "@jest/globals";
import { type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
/** One patient has a phone number; the other has none. */
let patient: string;
let other: string;
const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const PHONE = "(555) 016-0001";
beforeAll(async () => {
  patient = (await service.newPatient({ phone_number: PHONE })).id;
  other = (await service.newPatient({ name: "Sam Example" })).id;
});

let requests = 0;
const newRequestId = () => `audited-${++requests}`;

/** Returns the ids of the patients that a request accessed, in order. Asserts the exact fields of each audit line. */
async function accesses(
  operation: string,
  method: string,
  path: string,
  status: number,
  options: CallOptions = {},
): Promise<string[]> {
  const requestId = newRequestId();
  const reply = await service.call(method, path, { ...options, headers: { "x-request-id": requestId } });
  expect(reply.status).toBe(status);
  return audited(requestId, operation);
}

async function audited(requestId: string, operation: string): Promise<string[]> {
  const lines = (await service.linesOf(requestId)).filter(({ event }) => event === "audit");
  const line = {
    event: "audit",
    xRequestId: requestId,
    client: "local",
    tenant: "local",
    operation,
    patientId: expect.any(String),
  };
  expect(lines).toEqual(lines.map(() => line));
  return lines.map(({ patientId }) => patientId);
}

const chat = (status: number, body: object) => accesses("chat", "POST", "/chat", status, { body });

describe("an audit line is logged", () => {
  test("when a record is created", async () => {
    const body = { name: "New Example" };
    const before = service.logs.length;
    const [created] = await accesses("create-patient", "POST", "/patients", 201, { body });
    expect(created).toMatch(/^[0-9a-f-]{36}$/);
    expect(service.logs.slice(before).join("\n")).toContain(`"patientId":"${created}"`);
    expect(await accesses("get-patient", "GET", `/patients/${created}`, 200)).toEqual([created]);
  });

  test("when a chat completion uses a record", async () => {
    const messages = [{ role: "user", content: "hello" }];
    const body = { model: "health-assistant", messages, metadata: { patient_id: patient } };
    const path = "/openai/v1/chat/completions";
    expect(await accesses("create-completion", "POST", path, 200, { body })).toEqual([patient]);
  });

  test("when a 409 returns the existing record", async () => {
    const body = { name: "New Example", phone_number: PHONE };
    expect(await accesses("create-patient", "POST", "/patients", 409, { body })).toEqual([patient]);
  });

  test("when a record is read, with its id in any case", async () => {
    expect(await accesses("get-patient", "GET", `/patients/${patient}`, 200)).toEqual([patient]);
    expect(await accesses("get-patient", "GET", `/patients/${patient.toUpperCase()}`, 200)).toEqual([patient]);
  });

  test.each<[by: string, body: () => object]>([
    ["its id", () => ({ patientId: patient })],
    ["its phone number", () => ({ phone: PHONE })],
  ])("when a thread is created for a patient, identified by %s", async (_, body) => {
    expect(await accesses("create-thread", "POST", "/threads", 201, { body: body() })).toEqual([patient]);
  });

  test.each<[by: string, body: () => object | Promise<object>]>([
    ["its id", () => ({ patientId: patient })],
    ["its phone number", () => ({ phone: PHONE })],
    ["its thread", async () => ({ threadId: await service.newThread({ patientId: patient }) })],
  ])("when a chat uses a record, identified by %s", async (_, body) => {
    expect(await chat(200, { message: "hello", ...(await body()) })).toEqual([patient]);
  });

  test("when a streamed chat uses a record", async () => {
    const requestId = newRequestId();
    await service.stream({ message: "hello", patientId: patient }, { "x-request-id": requestId });
    expect(await audited(requestId, "chat")).toEqual([patient]);
  });

  test("even if the request then fails", async () => {
    service.model.script = () => ({ status: 401 });
    expect(await chat(500, { message: "hello", patientId: patient })).toEqual([patient]);
  });

  test("for both patients when a chat is rejected because it names a patient other than the thread's", async () => {
    const threadId = await service.newThread({ patientId: other });
    const read = await chat(400, { message: "hello", threadId, phone: PHONE });
    expect(read.sort()).toEqual([patient, other].sort());
  });
});

describe("a conversation about a patient", () => {
  const WAYS: [operation: string, method: string, path: (messageId: string) => string, body?: object][] = [
    ["get-thread", "GET", () => ""],
    ["list-messages", "GET", () => "/messages"],
    ["get-handoff", "GET", () => "/handoff"],
    ["hold-thread", "PUT", () => "/handoff", {}],
    ["add-message", "POST", () => "/messages", { content: "Hello", author: "Ana" }],
    ["return-thread", "DELETE", () => "/handoff"],
    ["stop-turn", "DELETE", () => "/turns/any-key"],
    ["give-feedback", "PUT", (id) => `/messages/${id}/feedback`, { rating: "good" }],
    ["withdraw-feedback", "DELETE", (id) => `/messages/${id}/feedback`],
  ];

  test.each(["linked", "bound"])(
    "on a thread that is %s to the patient has an audit line for each access",
    async (how) => {
      const threadId = await service.newThread(how === "linked" ? { patientId: patient } : {});
      const body = { message: "hello", threadId, patientId: patient, include: ["ids"] };
      const { ids } = (await service.call("POST", "/chat", { body })).body;
      for (const [operation, method, path, sent] of WAYS) {
        const options = sent ? { body: sent } : {};
        const status = operation === "add-message" ? 201 : 200;
        const read = await accesses(operation, method, `/threads/${threadId}${path(ids.assistant)}`, status, options);
        expect([operation, ...read]).toEqual([operation, patient]);
      }
    },
  );
});

describe("no audit line is logged", () => {
  test.each<[string, operation: string, method: string, path: () => string, status: number, options: CallOptions]>([
    ["for an unknown patient", "get-patient", "GET", () => `/patients/${UNKNOWN}`, 404, {}],
    ["without a key", "get-patient", "GET", () => `/patients/${patient}`, 401, { key: null }],
    ["for a rejected record", "create-patient", "POST", () => "/patients", 400, { body: { name: 5 } }],
    ["for a thread without a patient", "create-thread", "POST", () => "/threads", 201, { body: {} }],
    ["for an unknown phone number", "create-thread", "POST", () => "/threads", 201, { body: { phone: "5550169999" } }],
    ["for a chat without a patient", "chat", "POST", () => "/chat", 200, { body: { message: "hello" } }],
  ])("%s", async (_, operation, method, path, status, options) => {
    expect(await accesses(operation, method, path(), status, options)).toEqual([]);
  });

  test("when a patient's thread is deleted", async () => {
    const threadId = await service.newThread({ patientId: patient });
    expect(await accesses("delete-thread", "DELETE", `/threads/${threadId}`, 200)).toEqual([]);
  });
});
