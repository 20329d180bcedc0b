import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { eventually } from "../eventually.ts";
import { echo, type ModelRequest, noDanger, withoutMarkers } from "../model/scripted-model.ts";
import { API_KEY } from "./api-key.ts";
import type { Backend } from "./backend.ts";
import { openStream, type ServerEvent } from "./event-stream.ts";

export { API_KEY };

/** A parsed response. */
export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests access bodies freely; the contract check has validated them
  body: any;
}

export interface CallOptions {
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The API key; null for no key. */
  key?: string | null;
}

export interface TestService extends Backend {
  /** Calls an endpoint. Throws when the response violates the published OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  chat(body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a chat and returns all events of the streamed answer. */
  stream(body: unknown, headers?: Record<string, string>): Promise<ServerEvent[]>;
  /** Creates a thread and returns its id. */
  newThread(body?: object): Promise<string>;
  /** Creates a patient. By default, age and gender are known, so that a new thread has no opening question. */
  newPatient(fields?: object): Promise<Reply["body"]>;
  /** A thread as `GET /threads/{id}` returns it. */
  thread(id: string): Promise<Reply["body"]>;
  /** The messages in the last request to the model, without the level markers before earlier answers. */
  prompt(): ModelRequest["messages"];
  /** The patient record in the last request to the model; undefined when there is none. */
  recordSent(): Reply["body"];
  /** The log lines of a request, without metrics; waits for the request line, which is the last. */
  linesOf(requestId: string): Promise<LogLine[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests access log lines freely
export type LogLine = any;

/**
 * Starts a local service that belongs to the caller alone. With `TEST_MODEL_PROVIDER=bedrock` in the environment, its
 * model is on Amazon Bedrock.
 *
 * @param env settings of `npm start` that override the tests' defaults
 */
export async function startTestService(env: Record<string, string> = {}): Promise<TestService> {
  const { startBackend } = await loadBackend();
  return withCalls(await startBackend(env, process.env.TEST_MODEL_PROVIDER));
}

/**
 * Provides a service to the tests of a file: with settings, one of its own; without, the one that the worker's files
 * share, with an empty database and no log lines. The model's script is the default one again after each test.
 *
 * @returns the service; its properties are available from `beforeAll` on
 */
export function setUpService(env?: Record<string, string>): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    const own = env ?? (process.env.TEST_MODEL_PROVIDER ? {} : undefined);
    const { borrowBackend } = await loadBackend();
    Object.assign(service, own ? await startTestService(own) : withCalls(await borrowBackend()));
  });
  afterEach(() => {
    Object.assign(service.model, { script: echo, verdict: noDanger });
  });
  afterAll(() => service.stop());
  return service;
}

/** A module of the environment in which Jest runs the test files (`environment.mjs`), which outlives each of them. */
export async function loadBackend(): Promise<typeof import("./backend.ts")> {
  return (globalThis as unknown as { loadBackend: typeof loadBackend }).loadBackend();
}

/** Adds what tests call to a service. */
export function withCalls<B extends Backend>(backend: B): B & TestService {
  const on: TestService["call"] = (method, path, options = {}) => call(backend, method, path, options);
  const prompt = () => withoutMarkers(backend.model.requests.at(-1)?.body.messages ?? []);
  return {
    ...backend,
    call: on,
    chat: (body, headers = {}) => on("POST", "/chat", { body, headers }),
    stream: async (body, headers) => (await openStream(backend, body, headers)).rest(),
    newThread: async (body = {}) => (await on("POST", "/threads", { body })).body.threadId,
    newPatient: async (fields = {}) => {
      const body = { name: "Pat Example", age: 40, gender: "female", ...fields };
      return (await on("POST", "/patients", { body })).body.patient;
    },
    thread: async (id) => (await on("GET", `/threads/${id}`)).body.thread,
    prompt,
    recordSent: () => {
      const record = /<patient_record>\n(.*)\n<\/patient_record>$/s.exec(prompt()[0]?.content ?? "")?.[1];
      return record === undefined ? undefined : JSON.parse(record);
    },
    linesOf: (id) =>
      eventually(
        () => linesIn(backend.logs).filter((line) => line.xRequestId === id),
        (lines) => lines.at(-1)?.event === "request",
      ),
  };
}

/** The messages of log lines, without metrics. */
const linesIn = (logs: string[]): LogLine[] =>
  logs.filter((line) => !line.startsWith('{"_aws"')).map((line) => JSON.parse(line).message ?? {});

async function call(
  { baseUrl, contract }: Backend,
  method: string,
  path: string,
  { body, headers, key = API_KEY }: CallOptions,
): Promise<Reply> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(key !== null && { "x-api-key": key }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === "" ? undefined : JSON.parse(text);
  const type = response.headers.get("content-type")?.split(";")[0];
  const violation = contract.violation(method, path.split("?")[0] ?? path, response.status, parsed, type);
  if (violation) {
    throw new Error(violation);
  }
  return { status: response.status, headers: response.headers, body: parsed };
}
