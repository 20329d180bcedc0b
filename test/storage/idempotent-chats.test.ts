import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { config } from "../../shared/config.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { conflict, neverAnswered, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

/** Each chat also reads the version of its tenant's sources, at the same time. */
const callsForThreads = ({ body }: Call) => body.TableName !== config.sourcesTable;
const readsOfThreads = (call: Call) => call.operation === "GetItem" && callsForThreads(call);

const chats = setUpChats();
beforeEach(() => {
  retryWithoutWaiting();
  chats.model.requests.length = 0;
});

async function storeThread(): Promise<string> {
  const { threadId } = await storage.storeThread();
  storage.faults.reset();
  return threadId;
}

describe("a reservation whose responses are all lost", () => {
  test("is released, so that a retry of the request is answered immediately", async () => {
    const threadId = await storeThread();
    storage.faults.fail("TransactWriteItems", responseLost, 3);
    await expect(chats.chat({ message: "hello", threadId }, "key")).rejects.toThrow();
    expect(await storage.threadItems(threadId)).toHaveLength(1);
    expect(await chats.chat({ message: "hello", threadId }, "key")).toMatchObject({ messageCount: 2 });
    expect(storage.faults.calls(readsOfThreads)).toBe(0); // it did not poll
  });

  test("is released only once and for at most a second if the release gets no response either", async () => {
    const threadId = await storeThread();
    storage.faults.fail("TransactWriteItems", responseLost, 3);
    storage.faults.fail("DeleteItem", neverAnswered, 3);
    const limits = jest.spyOn(AbortSignal, "timeout");
    await expect(chats.chat({ message: "hello", threadId }, "key")).rejects.toThrow();
    expect(limits.mock.calls).toEqual([[1_000]]);
    expect(storage.faults.calls("DeleteItem")).toBeLessThanOrEqual(1);
  });

  test("does not make the request wait for itself if its retry finds the item busy", async () => {
    const threadId = await storeThread();
    storage.faults.fail("TransactWriteItems", responseLost);
    storage.faults.fail("TransactWriteItems", conflict);
    expect(await chats.chat({ message: "hello", threadId }, "key")).toMatchObject({ messageCount: 2 });
    expect(storage.faults.calls(readsOfThreads)).toBe(0);
  });
});

describe("a retry that waits for the first request", () => {
  test("polls for the answer every 200 ms", async () => {
    const threadId = await storeThread();
    chats.model.script = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { content: `answer to: ${request.messages.at(-1)?.content}` };
    };
    const [first, second] = await Promise.all([
      chats.chat({ message: "hello", threadId }, "key"),
      chats.chat({ message: "hello", threadId }, "key"),
    ]);
    expect(second).toEqual(first);
    expect(chats.model.requests).toHaveLength(1);
    // Five to six polls in 1 s, more on a slow machine, and one read of the turn.
    expect(storage.faults.calls(readsOfThreads)).toBeGreaterThan(2);
    expect(storage.faults.calls(readsOfThreads)).toBeLessThan(15);
  });
});

describe("a database that never answers", () => {
  const EMERGENCY = "crushing chest pain and my left arm is numb, sweating";

  test("causes an error after three attempts", async () => {
    const threadId = await storeThread();
    storage.faults.fail("all", neverAnswered, Number.POSITIVE_INFINITY);
    await expect(chats.chat({ message: "When do you open?", threadId })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    expect(storage.faults.calls(callsForThreads)).toBe(3);
    expect(chats.model.requests).toHaveLength(0);
  });

  test("does not keep an emergency from getting its fixed text", async () => {
    const threadId = await storeThread();
    storage.faults.fail("all", neverAnswered, Number.POSITIVE_INFINITY);
    const reply = await chats.chat({ message: EMERGENCY, threadId }, "key");
    expect(reply).toEqual({
      success: true,
      response: expect.stringMatching(/^This could be an emergency\. Call 911 now/),
    });
    expect(storage.faults.calls(callsForThreads)).toBe(3);
  });
});
