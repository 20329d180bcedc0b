import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { BatchWriteCommand, type BatchWriteCommandInput, paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";
import { expect, jest } from "@jest/globals";
import { ulid } from "ulid";
import { variableOf } from "../../../local/service.ts";
import { CREDENTIALS, documentClient, openDatabase, REGION } from "../../../packages/lambda-local/database.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { config } from "../../../shared/config.ts";
import { threadPartition } from "../../../shared/dynamo/keys.ts";
import { type Exchange, type Thread, visibleLifetime } from "../../../shared/threads/thread.ts";
import { turnItem } from "../../../shared/threads/thread-items.ts";
import { TENANT } from "../caller.ts";
import { newDataFolder } from "./data-folder.ts";
import { exchange } from "./exchange.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

/** The maximum number of items in one BatchWriteItem call. */
const BATCH = 25;

export type Item = Record<string, unknown>;

/** The template's tables in a real database, with functions to read and write them without the repositories. */
export interface TestDatabase {
  /** Sits between the repositories and the database. The functions below bypass it. */
  faults: FaultProxy;
  /** All items of a thread of the test tenant, in sort key order. */
  threadItems(threadId: string): Promise<Item[]>;
  /** The keys in all shards of the index `by-sweep` for one sweep. */
  sweepKeys(sweepAt: string): Promise<Item[]>;
  patientItems(): Promise<Item[]>;
  /** All items of both tables and the keys in all indexes. */
  everything(): Promise<{ patients: Item[]; threads: Item[]; indexed: Item[] }>;
  /** Deletes all items except the counters of quotas. */
  clear(): Promise<void>;
  quotaItems(): Promise<Item[]>;
  /** What clients can be told of, and their webhooks. */
  eventItems(): Promise<Item[]>;
  /** The counts of feedback. */
  feedbackItems(): Promise<Item[]>;
  /** Writes items to the threads table unchanged. */
  seed(...items: Item[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database, or uses the one at TEST_DYNAMODB_ENDPOINT with separate tables, and sets the
 * environment so that repositories imported afterwards use it.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  const template = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const run = randomUUID();
  const tables = template.tables.map(({ definition, ...rest }) => ({
    ...rest,
    definition: { ...definition, TableName: `${definition.TableName}-${run}` },
  }));
  const dataDir = newDataFolder();
  const database = await openDatabase(tables, dataDir, {
    dynamoDbEndpoint: process.env.TEST_DYNAMODB_ENDPOINT,
    dynamoDbLocalDir: process.env.DYNAMODB_LOCAL_DIR,
  });
  const faults = await startFaultProxy(database.endpoint);
  const threads = `${variableOf(template, "THREADS_TABLE")}-${run}`;
  const patients = `${variableOf(template, "PATIENTS_TABLE")}-${run}`;
  const quotas = `${variableOf(template, "QUOTAS_TABLE")}-${run}`;
  const feedback = `${variableOf(template, "FEEDBACK_TABLE")}-${run}`;
  const events = `${variableOf(template, "EVENTS_TABLE")}-${run}`;
  const sources = `${variableOf(template, "SOURCES_TABLE")}-${run}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: faults.endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    THREADS_TABLE: threads,
    PATIENTS_TABLE: patients,
    QUOTAS_TABLE: quotas,
    EVENTS_TABLE: events,
    FEEDBACK_TABLE: feedback,
    SOURCES_TABLE: sources,
    THREAD_IDLE_SECONDS: variableOf(template, "THREAD_IDLE_SECONDS"),
    SWEEP_INTERVAL_SECONDS: variableOf(template, "SWEEP_INTERVAL_SECONDS"),
  });

  const client = documentClient(database.endpoint);
  const scan = (TableName: string, IndexName?: string) =>
    collect(paginateScan({ client }, { TableName, ...(IndexName ? { IndexName } : { ConsistentRead: true }) }));
  const write = async (table: string, requests: NonNullable<BatchWriteCommandInput["RequestItems"]>[string]) => {
    for (let start = 0; start < requests.length; start += BATCH) {
      const batch = requests.slice(start, start + BATCH);
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
      expect(UnprocessedItems ?? {}).toEqual({});
    }
  };
  return {
    faults,
    threadItems: (threadId) => {
      const query = {
        KeyConditionExpression: "pk = :thread",
        ExpressionAttributeValues: { ":thread": threadPartition(TENANT, threadId) },
      };
      return collect(paginateQuery({ client }, { TableName: threads, ConsistentRead: true, ...query }));
    },
    sweepKeys: async (sweep) => (await scan(threads, "by-sweep")).filter(({ sweepAt }) => sweepAt === sweep),
    patientItems: () => scan(patients),
    everything: async () => ({
      patients: await scan(patients),
      threads: await scan(threads),
      indexed: [...(await scan(patients, "by-phone-number")), ...(await scan(threads, "by-sweep"))],
    }),
    clear: async () => {
      for (const table of [patients, threads, events, feedback]) {
        const keys = (await scan(table)).map(({ pk, sk }) => ({ pk, ...(sk !== undefined && { sk }) }));
        await write(
          table,
          keys.map((Key) => ({ DeleteRequest: { Key } })),
        );
      }
    },
    quotaItems: () => scan(quotas),
    eventItems: () => scan(events),
    feedbackItems: () => scan(feedback),
    seed: (...items) =>
      write(
        threads,
        items.map((Item) => ({ PutRequest: { Item } })),
      ),
    stop: async () => {
      client.destroy();
      faults.stop();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function collect(pages: AsyncIterable<{ Items?: Item[] | undefined }>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of pages) {
    items.push(...Items);
  }
  return items;
}

/**
 * Returns a thread that starts now and is not stored yet. Its unique id has a format that the service never generates.
 */
export function newThread(): Thread {
  const times = visibleLifetime(Date.now(), config.clock);
  return {
    threadId: String(nextId++).padStart(5, "0"),
    generation: ulid(Date.now()),
    patientId: null,
    messageCount: 0,
    createdAt: times.lastActivity,
    ...times,
  };
}
let nextId = 0;

/** Returns a distinct turn for each number. */
export function turn(number: number): Exchange {
  return exchange(`question ${number}`, `answer ${number}`);
}

/** Returns the first turns of a thread, as stored. */
export function turnItems(thread: Thread, count: number, more: Item = {}): Item[] {
  return Array.from({ length: count }, (_, number) => ({
    ...turnItem(TENANT, thread, number, turn(number), Date.now()),
    ...more,
  }));
}

/** Sets random waits before retries to zero. Undone by `jest.restoreAllMocks()`. */
export function retryWithoutWaiting(): void {
  jest.spyOn(Math, "random").mockReturnValue(0);
}

/** Stops the clock at a time for all code under test; timers keep running. Undone by `jest.useRealTimers()`. */
export function stopClockAt(time: number | string): void {
  jest.useFakeTimers({ now: new Date(time), doNotFake: [...TIMERS] });
}
const TIMERS = [
  "hrtime",
  "nextTick",
  "performance",
  "queueMicrotask",
  "setImmediate",
  "clearImmediate",
  "setInterval",
  "clearInterval",
  "setTimeout",
  "clearTimeout",
] as const;
