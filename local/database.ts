import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "./settings.ts";
import type { TableTemplate } from "./template.ts";

const HOUR = 60 * 60 * 1000;

/**
 * Runs the embedded DynamoDB on its one data file until stdin is closed: by us, or, when we are killed, by the system.
 * So it never outlives the local service, and never holds its file while the next one starts.
 */
const UNTIL_STDIN_CLOSES =
  'exec 3<&0; "$@" </dev/null & pid=$!; (cat <&3 >/dev/null; kill $pid 2>/dev/null) & wait $pid';

export interface Database {
  endpoint: string;
  stop(): Promise<void>;
}

/** What every local AWS client is told; the local services check none of it. */
export const CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };
export const REGION = "us-east-1";

/**
 * Makes the tables of a template available: in the embedded DynamoDB, or at another endpoint.
 *
 * @param dataDir where the embedded one keeps its file
 * @param endpoint another DynamoDB to use
 * @throws SetupError when there is no embedded one for this platform, or the endpoint does not answer
 */
export async function openDatabase(
  tables: TableTemplate[],
  dataDir: string,
  endpoint: string | undefined,
): Promise<Database> {
  const database = endpoint ? { endpoint, stop: async () => {} } : await startEmbedded(dataDir);
  const client = new DynamoDBClient({
    endpoint: database.endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  try {
    await Promise.all(tables.map((table) => createTable(client, table)));
  } catch (error) {
    await database.stop();
    throw new SetupError(`The DynamoDB at ${database.endpoint} does not work (${(error as Error).name}).`);
  }
  if (endpoint) {
    return database;
  }
  const documents = DynamoDBDocumentClient.from(client);
  const expire = () => Promise.all(tables.map((table) => deleteExpired(documents, table))).catch(() => {});
  void expire();
  const timer = setInterval(expire, HOUR);
  return {
    endpoint: database.endpoint,
    stop: () => {
      clearInterval(timer);
      return database.stop();
    },
  };
}

async function startEmbedded(dataDir: string): Promise<Database> {
  const binary = embeddedBinary();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const command = [binary, "--host", "127.0.0.1", "--port", String(port), "--db-path", join(dataDir, "dynamodb.db")];
  const child = spawn("/bin/sh", ["-c", UNTIL_STDIN_CLOSES, "sh", ...command], { stdio: ["pipe", "ignore", "ignore"] });
  const exited = once(child, "exit");
  const listening = await Promise.race([exited.then(() => false), answers(endpoint)]);
  if (!listening) {
    throw new SetupError(`The embedded DynamoDB cannot use ${dataDir}; set DATA_DIR to a folder that can be written.`);
  }
  return {
    endpoint,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** Waits until a server answers; false when it has not after 10 s. */
async function answers(endpoint: string): Promise<boolean> {
  for (let attempt = 0; attempt < 500; attempt++) {
    try {
      await fetch(endpoint);
      return true;
    } catch {
      await setTimeout(20);
    }
  }
  return false;
}

/** The embedded DynamoDB does not say which port it got when asked to choose one, so one is chosen for it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function embeddedBinary(): string {
  const platform = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${platform}/package.json`)), "dynoxide");
  } catch {
    throw new SetupError(
      `There is no embedded DynamoDB for this machine (${platform} is not installed); start DynamoDB Local, ` +
        "for example with java -jar DynamoDBLocal.jar -inMemory -port 8000, and set DYNAMODB_ENDPOINT=http://127.0.0.1:8000.",
    );
  }
}

async function createTable(client: DynamoDBClient, { definition, ttlAttribute }: TableTemplate): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definition as CreateTableCommandInput));
  } catch (error) {
    if (error instanceof ResourceInUseException) {
      return;
    }
    throw error;
  }
  if (ttlAttribute) {
    const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: definition.TableName, TimeToLiveSpecification }));
  }
}

/** DynamoDB deletes items some time after their TTL; the embedded one does not, so it is done for it. */
async function deleteExpired(client: DynamoDBDocumentClient, { definition, ttlAttribute }: TableTemplate) {
  const { TableName, KeySchema } = definition;
  if (!ttlAttribute) {
    return;
  }
  const keys = (KeySchema as { AttributeName: string }[]).map(({ AttributeName }) => AttributeName);
  const pages = paginateScan(
    { client },
    {
      TableName,
      FilterExpression: "#ttl < :now",
      ExpressionAttributeNames: { "#ttl": ttlAttribute },
      ExpressionAttributeValues: { ":now": Math.floor(Date.now() / 1000) },
    },
  );
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const Key = Object.fromEntries(keys.map((key) => [key, item[key]]));
      await client.send(new DeleteCommand({ TableName, Key }));
    }
  }
}
