import type { ChatRequest } from "../../../shared/chat/chat-request.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { addMessage } from "../../../shared/handoff/add-message.ts";
import { giveBack, hold } from "../../../shared/handoff/hold.ts";
import { stop } from "../../../shared/threads/idempotency-record-repository.ts";
import type { Thread } from "../../../shared/threads/thread.ts";
import { CALLER, newContext, TENANT } from "../caller.ts";
import type { Chats } from "./chats.ts";
import { type Item, newThread } from "./database.ts";
import { refillRetryQuota, type Storage } from "./storage.ts";
import { newPatient } from "./write-paths.ts";

/**
 * What random clients call. Each call throws a ServiceError if it is rejected, and anything else if nobody knows whether
 * it had its effect.
 */
export interface ClientCalls {
  /** @returns the patient's id */
  createPatient(phone?: string): Promise<string>;
  /** @returns the thread's id */
  createThread(): Promise<string>;
  chat(request: ChatRequest, key?: string): Promise<{ response: string; messageCount?: number | undefined }>;
  /** @returns whether the chat with the key ends, or has ended, as stopped */
  stop(threadId: string, key: string): Promise<boolean>;
  /** @returns the number of messages */
  write(threadId: string, content: string, key?: string): Promise<number>;
  hold(threadId: string): Promise<unknown>;
  giveBack(threadId: string): Promise<unknown>;
  remove(threadId: string): Promise<unknown>;
  /** Lets the time of a thread end. */
  expire(threadId: string): Promise<unknown>;
  /** Returns when a sweep has removed a thread whose time has ended, or whose deletion was interrupted. */
  swept(threadId: string): Promise<unknown>;
  /** What is stored of a thread, in the order of the sort keys. */
  items(threadId: string): Promise<Item[]>;
}

/**
 * The use cases and repositories, called in this process.
 *
 * @param milliseconds the time limit of a chat's invocation
 */
export function callsInProcess(storage: Storage, chats: Chats, milliseconds?: number): ClientCalls {
  const threads = new Map<string, Thread>();
  const threadAt = (id: string) => threads.get(id) as Thread;
  return {
    createPatient: async (phone) => {
      const patient = newPatient(phone);
      await insertedOnce(() => storage.patients.insertPatient(CALLER, patient));
      return patient.id;
    },
    createThread: async () => {
      const thread = newThread();
      await insertedOnce(() => storage.threads.insertThread(TENANT, thread));
      threads.set(thread.threadId, thread);
      return thread.threadId;
    },
    chat: (request, key) => chats.chat(request, key, milliseconds),
    stop: async (id, key) => {
      const stopping = await stop(TENANT, threadAt(id), key);
      return stopping === "stopping" || stopping === "stopped";
    },
    write: async (id, content, key) =>
      (await addMessage(newContext(), id, { content, author: "Ana" }, key)).body.messageCount,
    hold: (id) => hold(newContext(), id, { by: "Ana" }),
    giveBack: (id) => giveBack(newContext(), id),
    remove: async (id) => {
      if (!(await storage.remove(threadAt(id)))) {
        throw new ServiceError("not-found", "the thread was not found because of its own earlier deletion");
      }
    },
    expire: async (id) => {
      const items = await storage.threadItems(id);
      await storage.seed({ ...items.at(-1), expiresAt: new Date().toISOString() });
    },
    swept: (id) => untilDone(() => storage.sweepOne(threadAt(id))),
    items: storage.threadItems,
  };
}

/** Something new cannot be refused as something that exists, unless a retry meets its own earlier attempt. */
async function insertedOnce(insert: () => Promise<{ kind: string }>): Promise<void> {
  const { kind } = await insert();
  if (kind !== "inserted") {
    throw new ServiceError("conflict", `something new was refused because of its own earlier attempt: ${kind}`);
  }
}

/** Repeats a call until it does not throw. */
async function untilDone<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch {
      await refillRetryQuota();
    }
  }
}
