import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statfsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "./settings.ts";
import type { TableTemplate } from "./template.ts";

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

/** How long the embedded DynamoDB may take to start. */
const START_MILLISECONDS = 10_000;

/** With less free disk space than this, a database failure is attributed to the full disk. */
const LEAST_FREE_BYTES = 1024 * 1024;

/**
 * Runs the embedded DynamoDB until its stdin is closed, by this process or, if this process is killed, by the system.
 * So it never outlives the local service or uses the database file when the next one starts.
 */
const UNTIL_STDIN_CLOSES =
  'exec 3<&0; "$@" </dev/null & pid=$!; (cat <&3 >/dev/null; kill $pid 2>/dev/null) & wait $pid';

export interface Database {
  endpoint: string;
  /** Resolves when the embedded database exits without being stopped. */
  died: Promise<void>;
  stop(): Promise<void>;
}

/** The credentials and region of every local AWS client; the local services check neither. */
export const CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };
export const REGION = "us-east-1";

/**
 * Makes the tables of a template available: in the embedded DynamoDB, or at another endpoint.
 *
 * @param dataDir where the embedded DynamoDB stores its file
 * @param endpoint another DynamoDB to use instead
 * @param purgeMilliseconds how often deleted data is overwritten in the file
 * @throws SetupError if there is no embedded DynamoDB for this platform, its file cannot be used, or the endpoint does not
 *   work
 */
export async function openDatabase(
  tables: TableTemplate[],
  dataDir: string,
  endpoint: string | undefined,
  purgeMilliseconds = MINUTE,
): Promise<Database> {
  const database: Database = endpoint
    ? { endpoint, died: new Promise(() => {}), stop: async () => {} }
    : await startEmbedded(dataDir);
  const documents = documentClient(database.endpoint);
  try {
    await Promise.all(tables.map((table) => createTable(documents, table)));
    if (!endpoint) {
      await Promise.all(tables.map((table) => readThrough(documents, table)));
    }
  } catch (error) {
    await database.stop();
    if (error instanceof SetupError) {
      throw error;
    }
    const { name, message } = error as Error;
    throw endpoint
      ? new SetupError(`The DynamoDB at ${endpoint} does not work (${name}).`)
      : unusableFile(dataDir, message);
  }
  if (endpoint) {
    return database;
  }
  const expire = () => Promise.all(tables.map((table) => deleteExpired(documents, table))).catch(() => {});
  void expire();
  const timers = [setInterval(expire, HOUR), setInterval(() => purgeIfWritten(dataDir), purgeMilliseconds)];
  return {
    ...database,
    stop: () => {
      timers.forEach(clearInterval);
      return database.stop();
    },
  };
}

/** A client for a local DynamoDB. */
export function documentClient(endpoint: string): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      region: REGION,
      credentials: CREDENTIALS,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    }),
  );
}

/**
 * Starts the embedded DynamoDB.
 *
 * @param choosePort called again if another process has taken the port before the database could
 * @throws SetupError if it does not run with this file
 */
export async function startEmbedded(dataDir: string, choosePort = freePort): Promise<Database> {
  const binary = embeddedBinary();
  purgeDeleted(dataDir); // a killed service has not done this
  const port = await choosePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const command = [binary, "--host", "127.0.0.1", "--port", String(port), "--db-path", databaseFile(dataDir)];
  const child = spawn("/bin/sh", ["-c", UNTIL_STDIN_CLOSES, "sh", ...command], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true, // Ctrl-C in a terminal is for the service, which stops the database last
  });
  let complaint = "";
  const listening = Promise.withResolvers<void>();
  child.stderr.on("data", (data) => {
    complaint = (complaint + data).slice(-1_000);
    if (complaint.includes(`listening on ${endpoint}`)) {
      listening.resolve();
    }
  });
  const exited = once(child, "exit").then(() => child.stdin.destroy()); // ends the shell command that waits for it
  let stopping = false;
  // A response alone does not show that the database is listening: it may be that of a process that has taken the port.
  const started = await Promise.race([
    exited.then(() => false),
    listening.promise.then(() => answers(endpoint)),
    setTimeout(START_MILLISECONDS, false, { ref: false }),
  ]);
  if (!started) {
    child.stdin.end();
    await exited;
    if (complaint.includes("is already in use")) {
      return startEmbedded(dataDir, choosePort);
    }
    throw unusableFile(dataDir, complaint);
  }
  return {
    endpoint,
    died: exited.then(() => (stopping ? new Promise<void>(() => {}) : undefined)),
    stop: async () => {
      stopping = true;
      child.stdin.end();
      await exited;
      purgeDeleted(dataDir);
    },
  };
}

/** Overwrites deleted data if anything was written since the last time, which leaves the write-ahead log empty. */
function purgeIfWritten(dataDir: string): void {
  if (statSync(`${databaseFile(dataDir)}-wal`, { throwIfNoEntry: false })?.size) {
    purgeDeleted(dataDir);
  }
}

/**
 * Overwrites deleted data: SQLite only marks its pages as free, so an erased patient's words would remain in the file
 * and its write-ahead log. The database may be running: its writes wait. Takes about a second per 100 MB. An unusable file is left to the database, which then reports it.
 */
function purgeDeleted(dataDir: string): void {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) {
    return;
  }
  try {
    const database = new DatabaseSync(file);
    try {
      database.exec("PRAGMA secure_delete = ON; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    } finally {
      database.close();
    }
  } catch {
    // the file is damaged or locked, or the disk is full; the next run tries again
  }
}

function databaseFile(dataDir: string): string {
  return join(dataDir, "dynamodb.db");
}

/**
 * Returns what to do about a database file, by SQLite's error message, which on a full disk is often only an I/O error.
 */
function unusableFile(dataDir: string, complaint: string): SetupError {
  const file = databaseFile(dataDir);
  const { bavail, bsize } = statfsSync(dataDir);
  if (/disk is full/i.test(complaint) || bavail * bsize < LEAST_FREE_BYTES) {
    return new SetupError(`The disk of ${file} is full; free some space, or set DATA_DIR to a folder on another disk.`);
  }
  if (/not a (valid SQLite )?database|malformed|corrupt/i.test(complaint)) {
    return new SetupError(
      `${file} is damaged or not a database; restore a copy of it, or move it away to start with an empty one.`,
    );
  }
  return new SetupError(`The embedded DynamoDB cannot use ${file}; set DATA_DIR to a folder that can be written.`);
}

/** Reads a whole table, to find a damaged file before a request does. */
async function readThrough(client: DynamoDBDocumentClient, { definition: { TableName } }: TableTemplate) {
  for await (const _ of paginateScan({ client }, { TableName, Select: "COUNT" })) {
    // only read
  }
}

/** Waits until a server responds; returns false after 10 s without a response. */
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

/** Chooses a port for the embedded DynamoDB, which does not report a port that it chooses itself. */
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

async function createTable(client: DynamoDBDocumentClient, { definition, ttlAttribute }: TableTemplate): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definition as CreateTableCommandInput));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
    await expectKeys(client, definition);
    return;
  }
  if (ttlAttribute) {
    const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: definition.TableName, TimeToLiveSpecification }));
  }
}

type Keys = Pick<TableDescription, "KeySchema" | "GlobalSecondaryIndexes">;

/** @throws SetupError if an existing table or its indexes have other keys, because an earlier version of the service created it */
async function expectKeys(client: DynamoDBDocumentClient, definition: TableTemplate["definition"]) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: definition.TableName }));
  const keysOf = ({ KeySchema, GlobalSecondaryIndexes = [] }: Keys) =>
    [{ KeySchema }, ...GlobalSecondaryIndexes].map((keyed) =>
      keyed.KeySchema?.map(({ AttributeName }) => AttributeName),
    );
  if (JSON.stringify(keysOf(Table ?? {})) !== JSON.stringify(keysOf(definition as Keys))) {
    throw new SetupError(
      "The database has the tables of an earlier version of this service, whose data cannot be read any more; move the " +
        "folder DATA_DIR away, or use another DynamoDB, to start with an empty database.",
    );
  }
}

/** Deletes items after their TTL, which DynamoDB does but the embedded one does not. */
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
