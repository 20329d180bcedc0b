import { afterAll, afterEach, beforeAll, beforeEach, expect, jest } from "@jest/globals";
import { dynamo } from "../../../shared/dynamo/client.ts";
import * as patients from "../../../shared/patients/patient-repository.ts";
import * as records from "../../../shared/threads/idempotency-record-repository.ts";
import type { Thread, Turn } from "../../../shared/threads/thread.ts";
import * as removal from "../../../shared/threads/thread-removal-repository.ts";
import * as threads from "../../../shared/threads/thread-repository.ts";
import * as turns from "../../../shared/threads/turn-repository.ts";
import { TENANT } from "../caller.ts";
import { newThread, startTestDatabase, type TestDatabase, turnItems } from "./database.ts";
import { exchange } from "./exchange.ts";

const repositories = { patients, threads, turns, records, removal };
type Repositories = typeof repositories;

/** A database behind a fault proxy, with all repositories. Available from `beforeAll` on. */
export interface Storage extends TestDatabase, Repositories {
  /** Stores a new thread with this many turns. */
  storeThread(turns?: number, answer?: string): Promise<Thread>;
  /** The thread's own item, as stored. */
  threadItem(thread: Thread): Promise<Record<string, unknown>>;
  /** Marks a thread as being deleted, the state after an interrupted removal. */
  markDeleting(thread: Thread): Promise<void>;
  /** Commits a turn that no other patient's turn can precede. */
  commit(thread: Thread, turn: Turn, options?: turns.CommitOptions): Promise<Thread | undefined>;
  /** Removes a thread as a caller's DELETE does. */
  remove(thread: Thread): Promise<boolean>;
  /** Removes a thread as the sweep does, if it has expired. */
  sweepOne(thread: Thread): Promise<boolean>;
}

/** The time limit of a commit, long enough that only a permanently busy database reaches it. */
const GIVE_UP_MILLISECONDS = 15_000;

/**
 * Starts a database for the tests of a file, keeps what is logged from the output, resets faults and the clock after
 * each test, and stops the database.
 */
export function setUpStorage(): Storage {
  const storage = {} as Storage;
  beforeAll(async () => {
    Object.assign(storage, await startStorage());
  });
  beforeEach(() => {
    for (const level of ["info", "warn", "error"] as const) {
      jest.spyOn(console, level).mockReturnValue();
    }
    return refillRetryQuota();
  });
  afterEach(() => {
    storage.faults.reset();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  afterAll(() => storage.stop());
  return storage;
}

/** The SDK retries less after many failed calls. Refilling its quota keeps tests independent of earlier ones. */
export async function refillRetryQuota(): Promise<void> {
  Object.assign(await dynamo.config.retryStrategy(), { capacity: 500 });
}

async function startStorage(): Promise<Storage> {
  const database = await startTestDatabase();
  const threadItem = async ({ threadId }: Thread) => (await database.threadItems(threadId)).at(-1) ?? {};
  return {
    ...database,
    ...repositories,
    threadItem,
    storeThread: async (count = 0, answer) => {
      const thread = { ...newThread(), messageCount: 2 * count };
      expect(await threads.insertThread(TENANT, thread, undefined)).toEqual({ kind: "inserted" });
      await database.seed(
        ...turnItems(thread, count, answer === undefined ? {} : { parts: exchange("", answer).parts }),
      );
      return (await threads.readThread(TENANT, thread.threadId)) as Thread;
    },
    markDeleting: async (thread) => database.seed({ ...(await threadItem(thread)), deleting: true }),
    commit: async (thread, turn, options) => {
      const committed = await turns.commitTurn(TENANT, thread, turn, Date.now() + GIVE_UP_MILLISECONDS, options);
      if (committed.kind === "committed") {
        return committed.thread;
      }
      expect(committed.kind).toBe("thread-gone");
      return undefined;
    },
    remove: ({ threadId }) => removal.removeThread(TENANT, threadId),
    sweepOne: async ({ threadId }) => (await removal.removeExpired([{ tenant: TENANT, threadId }])[0]) === true,
  };
}
