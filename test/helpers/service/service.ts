import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../../local/service.ts";
import { readSettings } from "../../../local/settings.ts";
import { Contract } from "../../../tools/live-check/contract.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

export const API_KEY = "key-of-the-test-client";

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

/** The whole local service, with its own database, functions and scripted model. */
export interface TestService {
  baseUrl: string;
  dynamoDbEndpoint: string;
  /** The secret with the API keys. */
  apiKeys: { endpoint: string; secretId: string };
  model: ScriptedModel;
  /** Every line that the functions logged. */
  logs: string[];
  /** Calls an endpoint. Throws when the response violates the published OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  stop(): Promise<void>;
}

/**
 * Starts the local service on a free port from the template synthesized for this test run.
 *
 * @param env settings of `npm start` that override the tests' defaults
 */
export async function startTestService(env: Record<string, string> = {}): Promise<TestService> {
  const model = await startScriptedModel();
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const logs: string[] = [];
  const settings = readSettings({
    PORT: "0",
    API_KEY,
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "key-of-the-model",
    DATA_DIR: dataDir,
    SWEEP_INTERVAL_SECONDS: "86400", // so that the sweep at the start makes 2 queries, not 145
    ...env,
  });
  const service = await startService(settings, process.env.TEST_CLOUD_ASSEMBLY ?? "", {
    onRequest: () => {},
    onLog: (line) => logs.push(line),
  });
  const contract = new Contract(await (await fetch(`${service.baseUrl}/openapi.json`)).json());
  return {
    baseUrl: service.baseUrl,
    dynamoDbEndpoint: service.dynamoDbEndpoint,
    apiKeys: service.apiKeys,
    model,
    logs,
    call: (method, path, options = {}) => call(service.baseUrl, contract, method, path, options),
    stop: async () => {
      await service.stop();
      model.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function call(
  baseUrl: string,
  contract: Contract,
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
