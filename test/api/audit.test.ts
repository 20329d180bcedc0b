import { beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
/** One patient has a phone number; the other has none. */
let patient: string;
let other: string;
const PHONE = "(555) 016-0001";
beforeAll(async () => {
  const create = async (body: object) => (await service.call("POST", "/patients", { body })).body.patient.id;
  patient = await create({ name: "Pat Example", phone_number: PHONE, age: 40, gender: "female" });
  other = await create({ name: "Sam Example", age: 50, gender: "male" });
});

interface LogLine {
  event: string;
  requestId: string;
}

let requests = 0;

/** Sends a request with a unique id, and returns its log lines once the last one has been written. */
async function linesOf(send: (requestId: string) => Promise<unknown>): Promise<LogLine[]> {
  const requestId = `audited-${++requests}`;
  await send(requestId);
  const lines = () =>
    service.logs
      .filter((line) => line.includes(`"${requestId}"`) && !line.startsWith('{"_aws"'))
      .map((line) => JSON.parse(line).message as LogLine);
  return eventually(lines, (all) => all.at(-1)?.event === "request");
}

/** Returns the ids of the patients that a request accessed, in order. Asserts the exact fields of each audit line. */
async function accesses(
  operation: string,
  method: string,
  path: string,
  status: number,
  options: CallOptions = {},
): Promise<string[]> {
  let requestId = "";
  const lines = await linesOf(async (id) => {
    requestId = id;
    const reply = await service.call(method, path, { ...options, headers: { ...options.headers, "x-request-id": id } });
    expect(reply.status).toBe(status);
  });
  return lines
    .filter(({ event }) => event === "audit")
    .map((line) => {
      const { patientId } = line as unknown as { patientId: string };
      expect(line).toEqual({ event: "audit", requestId, client: "local", tenant: "local", operation, patientId });
      return patientId;
    });
}

const chat = (status: number, body: object) => accesses("chat", "POST", "/chat", status, { body });
const openThread = async (body: object) => (await service.call("POST", "/threads", { body })).body.threadId;

describe("an audit line is logged", () => {
  test("when a record is created", async () => {
    const body = { name: "New Example" };
    const before = service.logs.length;
    const [created] = await accesses("create-patient", "POST", "/patients", 201, { body });
    expect(created).toMatch(/^[0-9a-f-]{36}$/);
    expect(service.logs.slice(before).join("\n")).toContain(`"patientId":"${created}"`);
    expect(await accesses("get-patient", "GET", `/patients/${created}`, 200)).toEqual([created]);
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
    ["its thread", async () => ({ threadId: await openThread({ patientId: patient }) })],
  ])("when a chat uses a record, identified by %s", async (_, body) => {
    expect(await chat(200, { message: "hello", ...(await body()) })).toEqual([patient]);
  });

  test("when a streamed chat uses a record", async () => {
    const lines = await linesOf(async (requestId) =>
      (await openStream(service, { message: "hello", patientId: patient }, { "x-request-id": requestId })).rest(),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: "audit",
        patientId: patient,
        operation: "chat",
        client: "local",
        tenant: "local",
      }),
    );
  });

  test("even if the request then fails", async () => {
    service.model.script = () => ({ status: 401 });
    const failed = await chat(500, { message: "hello", patientId: patient });
    service.model.script = echo;
    expect(failed).toEqual([patient]);
  });

  test("for both patients when a chat is rejected because it names a patient other than the thread's", async () => {
    const threadId = await openThread({ patientId: other });
    const read = await chat(400, { message: "hello", threadId, phone: PHONE });
    expect(read.sort()).toEqual([patient, other].sort());
  });
});

describe("no audit line is logged", () => {
  test.each<[string, operation: string, method: string, path: () => string, status: number, options: CallOptions]>([
    [
      "for an unknown patient",
      "get-patient",
      "GET",
      () => `/patients/${"0".repeat(8)}-0000-4000-8000-000000000000`,
      404,
      {},
    ],
    ["without a key", "get-patient", "GET", () => `/patients/${patient}`, 401, { key: null }],
    ["for a rejected record", "create-patient", "POST", () => "/patients", 400, { body: { name: 5 } }],
    ["for a thread without a patient", "create-thread", "POST", () => "/threads", 201, { body: {} }],
    ["for an unknown phone number", "create-thread", "POST", () => "/threads", 201, { body: { phone: "5550169999" } }],
    ["for a chat without a patient", "chat", "POST", () => "/chat", 200, { body: { message: "hello" } }],
  ])("%s", async (_, operation, method, path, status, options) => {
    expect(await accesses(operation, method, path(), status, options)).toEqual([]);
  });

  test("when a patient's thread is read or deleted, because neither reads the record", async () => {
    const threadId = await openThread({ patientId: patient });
    expect(await accesses("get-thread", "GET", `/threads/${threadId}`, 200)).toEqual([]);
    expect(await accesses("delete-thread", "DELETE", `/threads/${threadId}`, 200)).toEqual([]);
  });
});
