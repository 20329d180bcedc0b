import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, statfsSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
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
import { type DatabaseProgram, findDatabaseProgram } from "./database-program.ts";
import { SetupError } from "./setup-error.ts";
import type { TableTemplate } from "./template.ts";

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

/** How long deletions are collected before the file is overwritten, during which all writes wait. */
const PURGE_DELAY_MILLISECONDS = 500;

/** With less free disk space than this, a database failure is attributed to the full disk. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Runs the database, so that it never outlives the local service or uses the file when the next one starts. */
const UNTIL_STDIN_CLOSES = join(import.meta.dirname, "until-stdin-closes.mjs");

export interface Database {
  endpoint: string;
  /** The SQLite file; undefined if the database is that of DYNAMODB_ENDPOINT. */
  file?: string;
  /** Whether its tables have only just been created, so that nothing in them can be due. */
  isNew: boolean;
  /** Resolves when the database exits without being stopped; never if the service has not started it. */
  died: Promise<void>;
  /** Soon overwrites what has been deleted in the file, and empties its write-ahead log. */
  overwriteDeleted(): void;
  stop(): Promise<void>;
}

/** Which database to use; by default, an embedded one that is started. */
export interface DatabaseSettings {
  /** The endpoint of another DynamoDB. */
  dynamoDbEndpoint?: string | undefined;
  /** The folder of AWS's DynamoDB Local. */
  dynamoDbLocalDir?: string | undefined;
}

/** The credentials and region of every local AWS client; the local services check neither. */
export const CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };
export const REGION = "us-east-1";

/**
 * Makes the tables of a template available: in a database that is started for them, or at another endpoint.
 *
 * @param dataDir where a database that is started stores its file
 * @param settings another DynamoDB to use instead, or the folder of the DynamoDB Local to start
 * @param purgeMilliseconds how often deleted data is overwritten in the file
 * @throws SetupError if this machine can run no database, its file cannot be used, or the endpoint does not work
 */
export async function openDatabase(
  tables: TableTemplate[],
  dataDir: string,
  { dynamoDbEndpoint, dynamoDbLocalDir }: DatabaseSettings = {},
  purgeMilliseconds = MINUTE,
): Promise<Database> {
  if (dynamoDbEndpoint) {
    return existing(tables, dynamoDbEndpoint);
  }
  const program = findDatabaseProgram(dataDir, dynamoDbLocalDir);
  const database = await startDatabase(program);
  const documents = documentClient(database.endpoint);
  let created: boolean[];
  try {
    created = await Promise.all(tables.map((table) => createTable(documents, table)));
    await Promise.all(tables.map((table) => readThrough(documents, table)));
  } catch (error) {
    await database.stop();
    throw error instanceof SetupError ? error : unusableFile(program, (error as Error).message);
  }
  const expire = () => Promise.all(tables.map((table) => deleteExpired(documents, table))).catch(() => {});
  void expire();
  const purge = () => purgeIfWritten(program.file);
  const timers = [setInterval(expire, HOUR), setInterval(purge, purgeMilliseconds)];
  let soon: NodeJS.Timeout | undefined;
  return {
    ...database,
    isNew: created.every(Boolean),
    overwriteDeleted: () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        purge();
      }, PURGE_DELAY_MILLISECONDS);
    },
    stop: () => {
      timers.forEach(clearInterval);
      clearTimeout(soon);
      return database.stop();
    },
  };
}

async function existing(tables: TableTemplate[], endpoint: string): Promise<Database> {
  const documents = documentClient(endpoint);
  let created: boolean[];
  try {
    created = await Promise.all(tables.map((table) => createTable(documents, table)));
  } catch (error) {
    throw error instanceof SetupError
      ? error
      : new SetupError(`The DynamoDB at ${endpoint} does not work (${(error as Error).name}).`);
  }
  const isNew = created.every(Boolean);
  return { endpoint, isNew, died: new Promise(() => {}), overwriteDeleted: () => {}, stop: async () => {} };
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
 * Starts a database.
 *
 * @param choosePort called again if another process has taken the port before the database could
 * @throws SetupError if it does not run with its file
 */
export async function startDatabase(
  program: DatabaseProgram,
  choosePort = freePort,
): Promise<Omit<Database, "isNew" | "overwriteDeleted">> {
  const { file } = program;
  purgeDeleted(file); // a killed service has not done this
  const address = program.address ?? (await randomAddress());
  const port = await choosePort(address);
  const endpoint = `http://${address}:${port}`;
  const child = spawn(process.execPath, [UNTIL_STDIN_CLOSES, ...program.command(address, port)], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true, // Ctrl-C in a terminal is for the service, which stops the database last
    windowsHide: true,
  });
  let complaint = "";
  const announcement = program.announcement?.(endpoint) ?? "";
  const listening = Promise.withResolvers<void>();
  child.stderr.on("data", (data) => {
    complaint = (complaint + data).slice(-1_000);
    if (complaint.includes(announcement)) {
      listening.resolve();
    }
  });
  if (!announcement) {
    listening.resolve();
  }
  const ended = new AbortController();
  const exited = once(child, "exit").then(() => ended.abort());
  let stopping = false;
  // A response alone does not show that the database is listening: it may be that of a process that has taken the port.
  const started = await Promise.race([
    exited.then(() => false),
    listening.promise.then(() => answers(endpoint, ended.signal)),
    sleep(program.startMilliseconds, false, { ref: false }),
  ]);
  if (!started) {
    ended.abort();
    child.stdin.end();
    await exited;
    if (complaint.includes("already in use")) {
      return startDatabase(program, choosePort);
    }
    throw unusableFile(program, complaint);
  }
  return {
    endpoint,
    file,
    died: exited.then(() => (stopping ? new Promise<void>(() => {}) : undefined)),
    stop: async () => {
      stopping = true;
      child.stdin.end();
      await exited;
      purgeDeleted(file);
    },
  };
}

/** Overwrites deleted data if anything was written since the last time, which leaves the write-ahead log empty. */
function purgeIfWritten(file: string): void {
  if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) {
    purgeDeleted(file);
  }
}

/**
 * Overwrites deleted data: SQLite only marks its pages as free, so an erased patient's words would remain in the file
 * and its write-ahead log. The database may be running: its writes wait. Takes about a second per 100 MB. An unusable
 * file is left to the database, which then reports it.
 */
function purgeDeleted(file: string): void {
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

/** What to do about a database file, by SQLite's message, which on a full disk is often only an I/O error. */
function unusableFile({ name, file }: DatabaseProgram, complaint: string): SetupError {
  const { bavail, bsize } = statfsSync(dirname(file));
  if (/disk is full/i.test(complaint) || bavail * bsize < LEAST_FREE_BYTES) {
    return new SetupError(`The disk of ${file} is full; free some space, or set DATA_DIR to a folder on another disk.`);
  }
  if (/not a (valid SQLite )?database|malformed|corrupt/i.test(complaint)) {
    return new SetupError(
      `${file} is damaged or not a database; restore a copy of it, or move it away to start with an empty one.`,
    );
  }
  return new SetupError(`The ${name} cannot use ${file}; set DATA_DIR to a folder that can be written.`);
}

/** Reads a whole table, to find a damaged file before a request does. */
async function readThrough(client: DynamoDBDocumentClient, { definition: { TableName } }: TableTemplate) {
  for await (const _ of paginateScan({ client }, { TableName, Select: "COUNT" })) {
    // only read
  }
}

/** Waits until a server responds; returns false if the signal is aborted before. */
async function answers(endpoint: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await fetch(endpoint, { signal });
      return true;
    } catch {
      await sleep(20);
    }
  }
  return false;
}

/**
 * Chooses an address of loopback that pages in a browser cannot guess: the embedded database answers every one of them,
 * and has no setting against that. Where the system knows only 127.0.0.1 (macOS), the port alone has to be guessed.
 */
async function randomAddress(): Promise<string> {
  const address = `127.${[...randomBytes(3)].map((byte) => (byte % 254) + 1).join(".")}`;
  return freePort(address).then(
    () => address,
    () => "127.0.0.1",
  );
}

/** Chooses a port for the database, which does not report a port that it chooses itself. */
async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** @returns false if there is a table with this name and these keys already */
async function createTable(
  client: DynamoDBDocumentClient,
  { definition, ttlAttribute }: TableTemplate,
): Promise<boolean> {
  try {
    await client.send(new CreateTableCommand(definition as CreateTableCommandInput));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
    await expectKeys(client, definition);
    return false;
  }
  if (ttlAttribute) {
    const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: definition.TableName, TimeToLiveSpecification }));
  }
  return true;
}

type Keys = Pick<TableDescription, "KeySchema" | "GlobalSecondaryIndexes">;

/**
 * @throws SetupError if an existing table or its indexes have other keys, because an earlier version of the service
 *   created it
 */
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

/** Deletes items after their TTL, which DynamoDB does but the databases on this machine do not. */
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
