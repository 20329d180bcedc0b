import { rmSync } from "node:fs";
import { BatchWriteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type LocalService, startService } from "../../../local/service.ts";
import { readSettings } from "../../../local/settings.ts";
import { CREDENTIALS, documentClient, openDatabase } from "../../../packages/lambda-local/database.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { Contract } from "../../../shared/live-check/contract.ts";
import { newDataFolder } from "../database/data-folder.ts";
import { type FaultProxy, startFaultProxy } from "../database/fault-proxy.ts";
import { type Bedrock, startBedrock } from "../model/bedrock.ts";
import { onBedrock } from "../model/on-bedrock.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";
import { API_KEY } from "./api-key.ts";

/** The maximum number of items in one BatchWriteItem call. */
const BATCH = 25;

/** The whole local service, with its own database, functions and scripted model. */
export interface Backend {
  baseUrl: string;
  dynamoDbEndpoint: string;
  databaseFile: string | undefined;
  lambdaEndpoint: string;
  /** The secret with the API keys. */
  apiKeys: { endpoint: string; secretId: string };
  model: ScriptedModel;
  /** What stands between the functions and the model if it is on Amazon Bedrock. */
  bedrock?: Bedrock | undefined;
  /** Every line that the functions logged. */
  logs: string[];
  contract: Contract;
  stop(): Promise<void>;
}

/**
 * Starts the local service on a free port from the template synthesized for this test run.
 *
 * @param env settings of `npm start` that override the tests' defaults
 * @param modelProvider "bedrock" for a model on Amazon Bedrock
 */
export async function startBackend(env: Record<string, string> = {}, modelProvider?: string): Promise<Backend> {
  const { service, ...others } = await start(env, modelProvider);
  return { ...service, ...others };
}

/** A local service whose database is behind a proxy. */
export interface BackendWithFaults extends Backend {
  /** Sits between the functions and the database. */
  database: FaultProxy;
}

/** Starts the local service as `startBackend` does, with a proxy in front of its database. */
export async function startBackendWithFaults(env: Record<string, string> = {}): Promise<BackendWithFaults> {
  const dataDir = newDataFolder();
  const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const embedded = await openDatabase(tables, dataDir);
  const database = await startFaultProxy(embedded.endpoint);
  const backend = await startBackend({ ...env, DYNAMODB_ENDPOINT: database.endpoint });
  return {
    ...backend,
    database,
    stop: async () => {
      await backend.stop();
      database.stop();
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let shared: ReturnType<typeof start> | undefined;

/**
 * The service that the test files of a Jest worker share, one after the other (`environment.mjs`): each gets it with
 * empty tables, no log lines, and the model's default script. It is stopped with the worker.
 */
export async function borrowBackend(): Promise<Backend> {
  if (!shared) {
    shared = start({ SECRETS_CACHE_SECONDS: "1" }); // so that clients can be added
    process.on("message", exitAtTheEnd);
  }
  const { service, model, logs, contract } = await shared;
  await clearTables(service);
  logs.length = 0;
  model.requests.length = 0;
  model.verdictRequests.length = 0;
  Object.assign(model, { script: echo, keepAlive: true });
  return { ...service, model, logs, contract, stop: async () => {} };
}

/** Stops the shared service of this process, if there is one. */
export async function stopSharedBackend(): Promise<void> {
  await (await shared)?.stop();
}

/** The message with which Jest asks a worker to end (`CHILD_MESSAGE_END` in jest-worker). */
const END_OF_WORKER = 2;

async function exitAtTheEnd(message: unknown): Promise<void> {
  if (Array.isArray(message) && message[0] === END_OF_WORKER) {
    await stopSharedBackend();
    process.exit();
  }
}

async function start(env: Record<string, string>, modelProvider?: string) {
  const model = await startScriptedModel();
  const bedrock =
    modelProvider === "bedrock" ? await startBedrock(model, { secret: CREDENTIALS.secretAccessKey }) : undefined;
  const dataDir = newDataFolder();
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", removeData);
  const logs: string[] = [];
  const settings = readSettings({
    PORT: "0",
    API_KEY,
    OPENAI_BASE_URL: bedrock?.baseUrl ?? model.baseUrl,
    OPENAI_API_KEY: "key-of-the-model",
    DATA_DIR: dataDir,
    SWEEP_INTERVAL_SECONDS: "86400", // so that no sweep runs in the middle of a test
    SOURCES_CACHE_SECONDS: "0",
    ...env,
  });
  const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
  const service = await startService(settings, bedrock ? onBedrock(assembly) : assembly, {
    onRequest: () => {},
    onLog: (line) => logs.push(line),
  });
  const document = await fetch(`${service.baseUrl}/openapi.json`);
  if (document.status !== 200) {
    throw new Error(`GET /openapi.json was answered with ${document.status}: ${logs.join("\n")}`);
  }
  const contract = contractOf(await document.text());
  const stop = async () => {
    await service.stop();
    bedrock?.stop();
    model.stop();
    process.off("exit", removeData);
    removeData();
  };
  return { service, model, bedrock, logs, contract, stop };
}

/** The contracts of the services so far: compiling one takes longer than starting a service. */
const contracts = new Map<string, Contract>();

function contractOf(document: string): Contract {
  const contract = contracts.get(document) ?? new Contract(JSON.parse(document));
  contracts.set(document, contract);
  return contract;
}

async function clearTables({ dynamoDbEndpoint, template }: LocalService): Promise<void> {
  const client = documentClient(dynamoDbEndpoint);
  const tables = template.tables.map(({ definition: { TableName } }) => TableName ?? "");
  await Promise.all(
    tables.map(async (TableName) => {
      const { Items = [] } = await client.send(new ScanCommand({ TableName }));
      for (let index = 0; index < Items.length; index += BATCH) {
        const requests = Items.slice(index, index + BATCH).map(({ pk, sk }) => ({
          DeleteRequest: { Key: { pk, ...(sk !== undefined && { sk }) } },
        }));
        await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    }),
  );
  client.destroy();
}
