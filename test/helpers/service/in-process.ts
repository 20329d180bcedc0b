import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { CREDENTIALS, documentClient, openDatabase, REGION } from "../../../packages/lambda-local/database.ts";
import { startSecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

/** Items per BatchWriteItem, and the number of concurrent calls. */
const BATCH = 25;
const PARALLEL = 8;

type Item = Record<string, unknown>;

/** The network services of the functions, on loopback, for use cases called in this process. */
export interface TestEnvironment {
  model: ScriptedModel;
  /** The functions' environment variables, to pass to another process. */
  variables: Record<string, string>;
  /** Writes items to a table, by default to that of threads. */
  seed(items: Iterable<Item>, table?: "THREADS_TABLE" | "EVENTS_TABLE"): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a database, a secrets endpoint and a scripted model, and sets this process's environment variables as the
 * template does for the functions. Modules of `shared/` must be imported after this call.
 *
 * @param assembly the directory that `cdk synth` wrote
 * @param clients the contents of the secret with the API keys
 */
export async function startTestEnvironment(
  assembly: string,
  clients: Record<string, unknown> = { local: "key-of-the-client" },
): Promise<TestEnvironment> {
  const template = readTemplate(assembly);
  const synthesized = Object.assign({}, ...[...template.functions.values()].map((fn) => fn.environment));
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const [database, model, secrets] = await Promise.all([
    openDatabase(template.tables, dataDir),
    startScriptedModel(),
    startSecretsServer({
      [synthesized.API_KEYS_SECRET]: JSON.stringify(clients),
      [synthesized.MODEL_KEY_SECRET]: "key-of-the-model",
    }),
  ]);
  const variables = {
    ...synthesized,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    OPENAI_BASE_URL: model.baseUrl,
  };
  Object.assign(process.env, variables);
  const client = documentClient(database.endpoint);
  return {
    model,
    variables,
    seed: (items, table = "THREADS_TABLE") => seed(client, variables[table], items),
    stop: async () => {
      client.destroy();
      model.stop();
      secrets.stop();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function seed(client: DynamoDBDocumentClient, table: string, items: Iterable<Item>): Promise<void> {
  const batches = inBatches(items);
  const worker = async () => {
    for (const batch of batches) {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

function* inBatches(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}
