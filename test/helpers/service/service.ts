import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { echo } from "../model/scripted-model.ts";
import { API_KEY, type Backend, startBackend } from "./backend.ts";

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
}

/**
 * Starts a local service that belongs to the caller alone.
 *
 * @param env settings of `npm start` that override the tests' defaults
 */
export async function startTestService(env: Record<string, string> = {}): Promise<TestService> {
  return withCalls(await startBackend(env));
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
    Object.assign(service, env ? await startTestService(env) : withCalls(await borrowed()));
  });
  afterEach(() => {
    service.model.script = echo;
  });
  afterAll(() => service.stop());
  return service;
}

/** From the environment in which Jest runs the test files (`environment.mjs`), which outlives each of them. */
const borrowed = () => (globalThis as unknown as { borrowBackend: () => Promise<Backend> }).borrowBackend();

const withCalls = (backend: Backend): TestService => ({
  ...backend,
  call: (method, path, options = {}) => call(backend, method, path, options),
});

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
  const violation = contract.violation(method, path.split("?")[0] ?? path, response.status, parsed);
  if (violation) {
    throw new Error(violation);
  }
  return { status: response.status, headers: response.headers, body: parsed };
}
