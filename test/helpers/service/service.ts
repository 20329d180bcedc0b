import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../../local/service.ts";
import { readSettings } from "../../../local/settings.ts";
import { Contract } from "../../../tools/live-check/contract.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

export const API_KEY = "key-of-the-test-client";

/** A response, parsed. */
export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely; the contract has checked their form
  body: any;
}

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The API key; null for none. */
  key?: string | null;
}

/** The whole local service, with a database, functions and a scripted model of its own. */
export interface TestService {
  baseUrl: string;
  dynamoDbEndpoint: string;
  /** Where the keys are. */
  apiKeys: { endpoint: string; secretId: string };
  model: ScriptedModel;
  /** Every line that a function logged. */
  logs: string[];
  /** Calls an endpoint. Throws when the response breaks the published OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  stop(): Promise<void>;
}

/**
 * Starts the local service on a free port, from the template that was synthesized for this test run.
 *
 * @param env settings as `npm start` takes them, over the defaults of a test
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
      model.stop();
      await service.stop();
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
