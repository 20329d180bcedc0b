import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import {
  cutAfter,
  drop,
  eventStream,
  hang,
  json,
  type ScriptedServer,
  startScriptedServer,
} from "../../../test/helpers/model/scripted-server.ts";
import { ApiError, HealthAssistantClient } from "../client.js";

let server: ScriptedServer;
let client: HealthAssistantClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey: "a-key" });
});
afterAll(() => server.stop());

const { setTimeout: afterDelay } = globalThis;
/** Delays before retries, which {@link waits} measures, are zero elsewhere. */
beforeEach(() => {
  jest.spyOn(globalThis, "setTimeout").mockImplementation((run) => afterDelay(run, 0));
});
afterEach(() => {
  jest.restoreAllMocks();
});

const PATIENT_ID = "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11";

/** Every method. A streamed answer is read up to its first event. */
const CALLS: Record<string, () => Promise<unknown>> = {
  chat: () => client.chat({ message: "hello" }),
  streamChat: () => client.streamChat({ message: "hello" }).next(),
  createThread: () => client.createThread(),
  getThread: () => client.getThread("48213"),
  deleteThread: () => client.deleteThread("48213"),
  addMessage: () => client.addMessage("48213", { content: "hello", author: "Ana" }),
  createPatient: () => client.createPatient({ name: "Pat Example" }),
  getPatient: () => client.getPatient(PATIENT_ID),
  listMessages: () => client.listMessages("48213", { limit: 5 }),
  updatePatient: () => client.updatePatient(PATIENT_ID, { allergies: null }),
  "updatePatient with ifMatch": () => client.updatePatient(PATIENT_ID, { allergies: null }, { ifMatch: '"r1"' }),
  deletePatient: () => client.deletePatient(PATIENT_ID),
  searchPatients: () => client.searchPatients({ phone_number: "5550100100" }),
  listPatientThreads: () => client.listPatientThreads(PATIENT_ID),
  importPatient: () => client.importPatient({ resourceType: "Patient" }),
  replaceClinical: () => client.replaceClinical(PATIENT_ID, { resourceType: "Bundle" }),
  "replaceClinical with ifMatch": () =>
    client.replaceClinical(PATIENT_ID, { resourceType: "Bundle" }, { ifMatch: '"r1"' }),
  exportFhir: () => client.exportFhir(PATIENT_ID),
  exportPatient: () => client.exportPatient(PATIENT_ID),
  openapi: () => client.openapi(),
};
/** Fail if they took effect the first time. */
const ONCE_ONLY = ["updatePatient with ifMatch", "replaceClinical with ifMatch"];

const call = (name: string) => CALLS[name]?.() ?? Promise.reject(new Error(`no ${name}`));
/** A successful response in the format that the method expects. */
const success = (name: string) =>
  name === "streamChat" ? eventStream('event: delta\ndata: {"text":"yes"}\n\n') : json(200, { success: true });
/** An error response; status 0 stands for a lost connection. */
const failure = (status: number) => (status === 0 ? drop : json(status, { error: `failed with ${status}` }));

const PERMANENT = [400, 401, 403, 404, 413, 422];
const TRANSIENT = [0, 500, 502, 503, 504];

/** A 429 had no effect; a 409 says that the first attempt of a chat is still being processed. */
function isRetried(name: string, status: number): boolean {
  return (
    status === 429 ||
    (status === 409 && ["chat", "streamChat"].includes(name)) ||
    (TRANSIENT.includes(status) && !ONCE_ONLY.includes(name))
  );
}

test.each(Object.keys(CALLS))(
  "%s is sent again, unchanged, after a failure that may pass if that is safe, and after no other",
  async (name) => {
    for (const status of [...PERMANENT, ...TRANSIENT, 409, 429]) {
      server.script(failure(status), success(name));
      const failed = await call(name).then(
        () => undefined,
        (error) => error.status,
      );
      const retried = isRetried(name, status);
      const [first] = server.requests;
      expect({ status, failed }).toEqual({ status, failed: retried ? undefined : status });
      expect(server.requests).toEqual(retried ? [first, first] : [first]);
    }
  },
);

test.each(["chat", "streamChat", "createThread", "addMessage", "createPatient"])(
  "an idempotency key is generated for each call of %s, and is the same in all its attempts",
  async (name) => {
    const keys = [];
    for (const _ of [1, 2, 3]) {
      server.script(failure(503), drop, success(name));
      await call(name);
      const sent = new Set(server.requests.map(({ headers }) => headers["idempotency-key"]));
      expect([...sent]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
      keys.push(...sent);
    }
    expect(new Set(keys).size).toBe(3);
  },
);

test("a chat is retried when its response is cut off", async () => {
  server.script(cutAfter('{"success":true,"resp'), json(200, { success: true, response: "yes" }));
  expect(await client.chat({ message: "hello" })).toEqual({ success: true, response: "yes" });
});

describe("a delete", () => {
  const deleted = { success: true, message: "Thread deleted successfully" };

  test.each([
    ["a lost response", drop],
    ["half a response", cutAfter('{"succ')],
    ["a 504", failure(504)],
    ["a 500", failure(500)],
  ])("that finds no thread when it is retried after %s is a success", async (_, first) => {
    server.script(first, failure(404));
    expect(await client.deleteThread("48213")).toEqual(deleted);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ["the first time", [failure(404)]],
    ["after a 429, which had no effect,", [failure(429), failure(404)]],
  ])("that finds no thread %s is a 404", async (_, answers) => {
    server.script(...answers);
    await expect(client.deleteThread("48213")).rejects.toMatchObject({ status: 404 });
  });

  test("of a patient that finds no patient when it is retried is a success; no other call is", async () => {
    server.script(drop, failure(404));
    expect(await client.deletePatient(PATIENT_ID)).toEqual({ success: true, message: "Patient deleted successfully" });
    server.script(drop, failure(404));
    await expect(client.getThread("48213")).rejects.toMatchObject({ status: 404 });
  });
});

describe("the number of retries", () => {
  test("is two, and the last error is thrown", async () => {
    server.script(failure(503), failure(502), failure(500));
    await expect(client.openapi()).rejects.toMatchObject({ status: 500, message: "failed with 500" });
    expect(server.requests).toHaveLength(3);
  });

  test.each([0, 1, 4])("can be set to %d for the client or a call", async (retries) => {
    const configured = new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey: "a-key", retries });
    for (const ask of [() => configured.openapi(), () => client.openapi({ retries })]) {
      server.script(failure(503));
      await expect(ask()).rejects.toThrow("failed with 503");
      expect(server.requests).toHaveLength(retries + 1);
    }
  });
});

describe("the delay before a retry", () => {
  beforeEach(() => {
    jest.restoreAllMocks();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Calls a service that fails so until its retries succeed or end; returns the client's waits before them. */
  async function waits(fail: () => Promise<Response>, failures = 1): Promise<number[]> {
    jest.useFakeTimers();
    const sent: number[] = [];
    const fetch = async () => {
      sent.push(Date.now());
      return sent.length <= failures ? fail() : Response.json({ success: true });
    };
    const options = { baseUrl: server.baseUrl, apiKey: "a-key", fetch, retries: 7 };
    const result = new HealthAssistantClient(options).openapi();
    await jest.advanceTimersByTimeAsync(60_000);
    await result;
    return sent.slice(1).map((time, index) => time - (sent[index] ?? Number.NaN));
  }
  const pauseAfter = async (fail: () => Promise<Response>) => (await waits(fail))[0];
  const lost = () => Promise.reject(new TypeError("lost"));
  const reject = (status: number, retryAfter: string) => async () =>
    Response.json({}, { status, headers: { "retry-after": retryAfter } });

  test.each([429, 503])("follows Retry-After in seconds or as a date (%d)", async (status) => {
    const longer = await pauseAfter(reject(status, "7"));
    expect(longer).toBeGreaterThanOrEqual(7_250); // at random, so that calls that were rejected together are spread
    expect(longer).toBeLessThanOrEqual(7_500);
    const inTwelveSeconds = () => new Date(Math.floor(Date.now() / 1000) * 1000 + 12_000).toUTCString();
    const waited = await pauseAfter(() => reject(status, inTwelveSeconds())());
    expect(waited).toBeGreaterThan(11_000);
    expect(waited).toBeLessThanOrEqual(12_500);
    expect(await pauseAfter(reject(status, "Sat, 01 Jan 2000 00:00:00 GMT"))).toBe(0);
  });

  test("is 250 to 500 ms without a valid Retry-After", async () => {
    for (const fail of [reject(503, "soon"), async () => Response.error(), lost]) {
      const waited = await pauseAfter(fail);
      expect(waited).toBeGreaterThanOrEqual(250);
      expect(waited).toBeLessThanOrEqual(500);
    }
  });

  test("doubles with each attempt, up to eight seconds", async () => {
    const longest = [500, 1000, 2000, 4000, 8000, 8000, 8000];
    const waited = await waits(lost, longest.length);
    expect(waited).toHaveLength(longest.length);
    for (const [index, most] of longest.entries()) {
      expect(waited[index]).toBeGreaterThanOrEqual(most / 2);
      expect(waited[index]).toBeLessThanOrEqual(most);
    }
  });

  test("is left to the caller when Retry-After exceeds 30 seconds", async () => {
    server.script(json(429, { error: "Too many requests" }, { "retry-after": "31" }));
    await expect(client.openapi()).rejects.toMatchObject({ status: 429, message: "Too many requests" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the timeout", () => {
  test("is set for the client, and applies to each attempt", async () => {
    server.script(hang, json(200, { success: true }));
    const { baseUrl } = server;
    const impatient = new HealthAssistantClient({ baseUrl, apiKey: "a-key", timeoutMilliseconds: 1_000 });
    await impatient.getThread("48213");
    expect(server.requests).toHaveLength(2);
  });

  test("can be overridden for a call, which then fails with status 0", async () => {
    server.script(hang);
    const error = await client.openapi({ timeoutMilliseconds: 20, retries: 0 }).catch((reason) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 0, message: "No answer within 20 ms" });
  });

  test("covers the whole response, not only its first byte", async () => {
    server.script((response) => response.writeHead(200, { "x-request-id": "r-1" }).write('{"success":'));
    const error = await client.openapi({ timeoutMilliseconds: 1_000, retries: 0 }).catch((reason) => reason);
    expect(error).toMatchObject({ status: 0, message: "No answer within 1000 ms", requestId: "r-1" });
  });
});
