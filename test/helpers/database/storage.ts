import { afterAll, afterEach, beforeAll, beforeEach, expect, jest } from "@jest/globals";
import type { Thread, Turn } from "../../../shared/threads/thread.ts";
import type { CommitOptions } from "../../../shared/threads/turn-repository.ts";
import { TENANT } from "../caller.ts";
import { newThread, startTestDatabase, type TestDatabase, turnItems } from "./database.ts";
import { exchange } from "./exchange.ts";

/** A database behind a fault proxy, with all repositories. Available from `beforeAll` on. */
export interface Storage extends TestDatabase {
  patients: typeof import("../../../shared/patients/patient-repository.ts");
  threads: typeof import("../../../shared/threads/thread-repository.ts");
  turns: typeof import("../../../shared/threads/turn-repository.ts");
  records: typeof import("../../../shared/threads/idempotency-record-repository.ts");
  removal: typeof import("../../../shared/threads/thread-removal-repository.ts");
  /** Stores a new thread with this many turns. */
  storeThread(turns?: number, answer?: string): Promise<Thread>;
  /** The thread's own item, as stored. */
  threadItem(thread: Thread): Promise<Record<string, unknown>>;
  /** Marks a thread as being deleted, the state after an interrupted removal. */
  markDeleting(thread: Thread): Promise<void>;
  /** Commits a turn that no other patient's turn can precede. */
  commit(thread: Thread, turn: Turn, options?: CommitOptions): Promise<Thread | undefined>;
  /** Removes a thread as a caller's DELETE does. */
  remove(thread: Thread): Promise<boolean>;
  /** Removes a thread as the sweep does, if it has expired. */
  sweepOne(thread: Thread): Promise<boolean>;
}

/** The time limit of a commit, long enough that only a permanently busy database reaches it. */
const GIVE_UP_MILLISECONDS = 15_000;

/** Starts a database for the tests of a file, resets faults and the clock after each test, and stops the database. */
export function setUpStorage(): Storage {
  const storage = {} as Storage;
  beforeAll(async () => {
    Object.assign(storage, await startStorage());
  });
  beforeEach(() => refillRetryQuota());
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
  const { dynamo } = await import("../../../shared/dynamo/client.ts");
  Object.assign(await dynamo.config.retryStrategy(), { capacity: 500 });
}

async function startStorage(): Promise<Storage> {
  const database = await startTestDatabase();
  const [patients, threads, turns, records, removal] = await Promise.all([
    import("../../../shared/patients/patient-repository.ts"),
    import("../../../shared/threads/thread-repository.ts"),
    import("../../../shared/threads/turn-repository.ts"),
    import("../../../shared/threads/idempotency-record-repository.ts"),
    import("../../../shared/threads/thread-removal-repository.ts"),
  ]);
  const threadItem = async ({ threadId }: Thread) => (await database.threadItems(threadId)).at(-1) ?? {};
  return {
    ...database,
    patients,
    threads,
    turns,
    records,
    removal,
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
