import { describe, expect, jest, test } from "@jest/globals";
import { decodeTime, ulid } from "ulid";
import { threadKey } from "../../shared/dynamo/keys.ts";
import { createThread } from "../../shared/threads/create-thread.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { newContext, TENANT } from "../helpers/caller.ts";
import { newThread, turn, turnItems } from "../helpers/database/database.ts";
import { exchange } from "../helpers/database/exchange.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { after } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { captureMetrics } from "../helpers/service/metrics.ts";

const storage = setUpStorage();

const create = () => createThread(newContext(), {}, { openingTurn: async () => undefined });
const counts = (written: { name: string; value: unknown }[]) => written.map(({ name, value }) => [name, value]);

describe("the id of a new thread", () => {
  /** Lets another thread take the id that a creation is about to use. */
  const taken = (ids: string[]) =>
    after(async ({ body }: Call) => {
      const threadId = body.TransactItems[0].Put.Item.threadId.S;
      ids.push(threadId);
      await storage.seed({ ...threadKey(TENANT, threadId), generation: "taken" });
    });

  test("is another random one when the first one is taken, and the attempts are counted", async () => {
    const ids: string[] = [];
    storage.faults.fail("TransactWriteItems", taken(ids), 3);
    const written = captureMetrics();
    const { threadId } = (await create()).body;
    await create();
    expect(new Set([...ids, threadId]).size).toBe(4);
    expect(counts(written())).toEqual([
      ["ThreadIdTries", 4],
      ["ThreadIdTries", 1],
    ]);
    expect(await storage.threads.readThread(TENANT, threadId)).toMatchObject({ threadId });
    for (const id of ids) {
      expect(await storage.threadItems(id)).toEqual([{ ...threadKey(TENANT, id), generation: "taken" }]);
    }
  });

  test("is given up after 20 attempts, with an error and a log line for the alarm", async () => {
    const logged = jest.spyOn(console, "error").mockReturnValue();
    const ids: string[] = [];
    storage.faults.fail("TransactWriteItems", taken(ids), Number.POSITIVE_INFINITY);
    const written = captureMetrics();
    await expect(create()).rejects.toThrow("no free thread id");
    expect(ids).toHaveLength(20);
    expect(counts(written())).toEqual([["ThreadIdsExhausted", 1]]);
    expect(logged.mock.calls).toEqual([[{ event: "thread-ids-exhausted", attempts: 20, tenant: TENANT }]]);
  });
});

test("the generation of a new thread is a unique ULID of its creation time", async () => {
  const created = await Promise.all(Array.from({ length: 50 }, create));
  const stored = await Promise.all(
    created.map(({ body: { threadId } }) => storage.threads.readThread(TENANT, threadId)),
  );
  const generations = stored.map((thread) => thread?.generation ?? "");
  expect(new Set(generations).size).toBe(50);
  for (const [index, generation] of generations.entries()) {
    expect(generation).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(new Date(decodeTime(generation)).toISOString()).toBe(stored[index]?.createdAt);
  }
});

describe("a reused id", () => {
  /** Stores what a crash has left of a former thread with the same id, and returns the new thread. */
  async function reusedId(leftovers: number): Promise<{ former: Thread; thread: Thread }> {
    const former = { ...newThread(), generation: ulid(Date.now() - 3_600_000) };
    const thread = { ...newThread(), threadId: former.threadId };
    await storage.seed(...turnItems(former, leftovers, { ...exchange("secret", "secret") }));
    expect(await storage.threads.insertThread(TENANT, thread, undefined)).toEqual({ kind: "inserted" });
    return { former, thread };
  }

  test("does not exist while only leftovers are stored", async () => {
    const former = newThread();
    await storage.seed(...turnItems(former, 15));
    expect(await storage.threads.readThread(TENANT, former.threadId)).toBeUndefined();
    expect(await storage.threads.readConversation(TENANT, former.threadId)).toBeUndefined();
    expect(await storage.commit(former, turn(15))).toBeUndefined();
    expect(await storage.remove(former)).toBe(false);
  });

  test.each([1, 9, 15])("never shows the %i leftover turns of the former conversation", async (leftovers) => {
    const { thread } = await reusedId(leftovers);
    expect(await storage.threads.readConversation(TENANT, thread.threadId)).toMatchObject({
      thread: { messageCount: 0, generation: thread.generation },
      turns: [],
    });
    for (let number = 0; number < 12; number++) {
      await storage.commit(thread, turn(number));
      const conversation = await storage.threads.readConversation(TENANT, thread.threadId);
      expect(conversation?.thread.messageCount).toBe(2 * number + 2);
      const first = Math.max(0, number - 9);
      expect(conversation?.turns).toEqual(
        Array.from({ length: number - first + 1 }, (_, index) => turn(first + index)),
      );
    }
  });

  test("rejects a turn of the former thread", async () => {
    const { former, thread } = await reusedId(3);
    expect(await storage.commit({ ...former, messageCount: 6 }, turn(3))).toBeUndefined();
    expect(await storage.threads.readConversation(TENANT, thread.threadId)).toMatchObject({ turns: [] });
  });

  test.each([3, 120])("is deleted together with %i leftover turns", async (leftovers) => {
    const { thread } = await reusedId(leftovers);
    await storage.commit(thread, turn(0));
    expect(await storage.remove(thread)).toBe(true);
    expect(await storage.threadItems(thread.threadId)).toEqual([]);
  });
});
