import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { addMessage } from "../../shared/handoff/add-message.ts";
import * as admission from "../../shared/quotas/admission.ts";
import type { Caller } from "../../shared/request/caller.ts";
import type { EndpointQuota, Quotas } from "../../shared/request/quota-limits.ts";
import { createThread } from "../../shared/threads/create-thread.ts";
import { holdThread } from "../../shared/threads/handoff-repository.ts";
import { CALLER, newContext, TENANT } from "../helpers/caller.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { stopClockAt } from "../helpers/database/database.ts";
import type { Call } from "../helpers/database/fault-proxy.ts";
import { after, internalError, neverAnswered, requestLost, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { captureMetrics } from "../helpers/service/metrics.ts";

const storage = setUpStorage();
const chats = setUpChats();

/** Waits for the counters for as long as they take: on a busy machine, that may be longer than a request waits. */
function waitForCounters(): void {
  jest.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
}

let clients = 0;
/** Returns a client that has used nothing yet. */
const newCaller = (quotas: Quotas): Caller => ({ ...CALLER, client: `client-${clients++}`, quotas });

const ALL: EndpointQuota[] = ["concurrentChats", "tokensPerDay", "liveThreads"];
const admit = async (caller: Caller, quotas = ALL) => {
  const admitted = await admission.admit(newContext(caller, 28_000), quotas);
  if (!admitted) {
    throw new Error("nothing was counted");
  }
  const settle = (tokens: number, created: boolean) => admission.settle(caller, admitted, tokens, created);
  return { ...admitted, settle };
};
const text = async (caller: Caller) => (await admit(caller)).rejection?.message;

describe("requests per minute", () => {
  beforeEach(waitForCounters);

  test("allow exactly 100 of 200 requests, sent ten at a time", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ requestsPerMinute: 100 });
    const admitted: Awaited<ReturnType<typeof admit>>[] = [];
    const worker = async () => {
      for (let request = 0; request < 20; request++) {
        admitted.push(await admit(caller));
      }
    };
    const before = storage.faults.calls();
    await Promise.all(Array.from({ length: 10 }, worker));
    const { length } = admitted.filter(({ rejection }) => !rejection);
    const repeated = storage.faults.calls() - before - 200; // by the SDK, after a timeout: such a call may count twice
    expect(length).toBeGreaterThanOrEqual(100 - repeated);
    expect(length).toBeLessThanOrEqual(100);
  });

  test("restart with each clock minute, and their counters expire", async () => {
    const caller = newCaller({ requestsPerMinute: 2 });
    const at = async (time: string) => {
      stopClockAt(`2030-01-01T10:${time}Z`);
      const { rejection, headers } = await admit(caller);
      return [rejection?.message, headers];
    };
    const policy = { "ratelimit-policy": '"requestsPerMinute";q=2;w=60' };
    const over = { ...policy, ratelimit: '"requestsPerMinute";r=0;t=1', "retry-after": "1" };
    expect(await at("00:00.000")).toEqual([undefined, { ...policy, ratelimit: '"requestsPerMinute";r=1;t=60' }]);
    expect(await at("00:30.500")).toEqual([undefined, { ...policy, ratelimit: '"requestsPerMinute";r=0;t=30' }]);
    expect(await at("00:59.999")).toEqual(["Too many requests", over]);
    expect(await at("01:00.000")).toEqual([undefined, { ...policy, ratelimit: '"requestsPerMinute";r=1;t=60' }]);
    const items = (await storage.quotaItems()).filter(({ pk }) => String(pk).includes(`#${caller.client}#`));
    const ends = items.map(({ ttl }) => Number(ttl) - Date.parse("2030-01-02T10:00:00Z") / 1000).sort((a, b) => a - b);
    expect(ends).toEqual([91, 120]); // a minute and a day after the last request
  });
});

describe("concurrent chats", () => {
  beforeEach(waitForCounters);

  test("hold leases: 5 of 20 parallel chats get one, and returned leases are available again", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ concurrentChats: 5 });
    const admitted = await Promise.all(Array.from({ length: 20 }, () => admit(caller)));
    expect(admitted.filter(({ rejection }) => !rejection)).toHaveLength(5);
    expect(admitted.find(({ rejection }) => rejection)).toMatchObject({
      rejection: { kind: "over-quota", message: "Too many concurrent chats" },
      headers: {
        "ratelimit-policy": '"concurrentChats";q=5;qu="concurrent-requests"',
        ratelimit: '"concurrentChats";r=0;t=1',
        "retry-after": "1",
      },
    });
    await Promise.all(admitted.flatMap(({ rejection, settle }) => (rejection ? [settle(0, false)] : [])));
    expect(await text(caller)).toBe("Too many concurrent chats"); // chats without a lease return none
    await Promise.all(admitted.flatMap(({ rejection, settle }) => (rejection ? [] : [settle(0, true)])));
    const again = await Promise.all(Array.from({ length: 20 }, () => admit(caller)));
    expect(again.filter(({ rejection }) => !rejection)).toHaveLength(5);
  });

  test("lose their lease when it expires, even if their invocation died", async () => {
    stopClockAt("2030-01-01T10:00:00.001Z");
    const caller = newCaller({ concurrentChats: 3 });
    for (let chat = 0; chat < 3; chat++) {
      expect(await text(caller)).toBeUndefined();
    }
    stopClockAt("2030-01-01T10:00:29.000Z"); // leases are counted by whole seconds, rounded up
    expect(await text(caller)).toBe("Too many concurrent chats");
    stopClockAt("2030-01-01T10:00:29.001Z");
    const admitted = await Promise.all(Array.from({ length: 6 }, () => admit(caller)));
    const allowed = admitted.filter(({ rejection }) => !rejection).length;
    expect(allowed).toBeGreaterThan(0);
    expect(allowed).toBeLessThanOrEqual(3);
    expect(await leasesOf(caller)).toBe((await counterOf(caller)).inUse);
    for (const { settle } of admitted) {
      await settle(0, true);
    }
    expect(await counterOf(caller)).toMatchObject({ inUse: 0 }); // the returned ones, and those of the dead
  });

  test("never exceed a limit that was lowered while chats were in progress", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ concurrentChats: 3 });
    await admit(caller);
    stopClockAt("2030-01-01T10:00:20.000Z");
    await Promise.all([admit(caller), admit(caller)]);
    stopClockAt("2030-01-01T10:00:30.000Z"); // the first has died
    expect(await text({ ...caller, quotas: { concurrentChats: 2 } })).toBe("Too many concurrent chats");
    expect(await text(caller)).toBeUndefined();
  });

  test("of 300 chats, many of them dead, are counted in one small item", async () => {
    const caller = newCaller({ concurrentChats: 300 });
    const start = Date.parse("2030-01-01T10:00:00Z");
    const admitted: Awaited<ReturnType<typeof admit>>[] = [];
    for (let chat = 0; chat < 300; chat++) {
      stopClockAt(start + chat * 90); // in 27 s, so that no lease has ended when the last one begins
      admitted.push(await admit(caller));
    }
    expect(admitted.filter(({ rejection }) => rejection)).toEqual([]);
    expect(await text(caller)).toBe("Too many concurrent chats");
    expect(await leasesOf(caller)).toBe(300);
    expect(JSON.stringify(await counterOf(caller)).length).toBeLessThan(1_024);
    for (let minute = 1; minute < 20; minute++) {
      stopClockAt(start + minute * 60_000);
      await admit(caller); // dies
      stopClockAt(start + minute * 60_000 + 40_000);
      await (await admit(caller)).settle(0, true);
    }
    expect(JSON.stringify(await counterOf(caller)).length).toBeLessThan(1_024);
    expect(await leasesOf(caller)).toBe((await counterOf(caller)).inUse);
  });

  test("whose lease was counted twice, because a response was lost, count once again when the lease ends", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ concurrentChats: 2 });
    storage.faults.fail("UpdateItem", responseLost);
    const { settle } = await admit(caller);
    await settle(0, true);
    expect((await counterOf(caller)).inUse).toBe(1);
    expect(await text(caller)).toBeUndefined();
    expect(await text(caller)).toBe("Too many concurrent chats");
    stopClockAt("2030-01-01T10:00:28.001Z");
    expect(await text(caller)).toBeUndefined();
    expect(await text(caller)).toBeUndefined();
    expect(await text(caller)).toBe("Too many concurrent chats");
  });

  test("return their lease once, even if the response is lost and the call is repeated", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ concurrentChats: 2 });
    const { settle } = await admit(caller);
    stopClockAt("2030-01-01T10:00:01.000Z");
    await admit(caller);
    storage.faults.fail("UpdateItem", responseLost);
    await settle(0, true);
    expect(await counterOf(caller)).toMatchObject({ inUse: 1 });
    expect(await leasesOf(caller)).toBe(1);
  });

  test("that died are removed from the count once, even if two other chats end at the same time", async () => {
    const caller = newCaller({ concurrentChats: 100 });
    for (let second = 0; second <= 20; second++) {
      stopClockAt(Date.parse("2030-01-01T10:00:00Z") + second * 1_000);
      await admit(caller);
    }
    stopClockAt("2030-01-01T10:01:00.000Z");
    const [one, other] = [await admit(caller), await admit(caller)];
    const removes = ({ body }: Call) => /^ADD .* REMOVE/.test(body.UpdateExpression);
    storage.faults.fail(
      removes,
      after(() => other.settle(0, true)),
    );
    await one.settle(0, true);
    // On a busy machine, the client repeats a call that waited too long.
    expect(storage.faults.calls((call) => removes(call) && call.attempt === 1)).toBe(2);
    expect(await counterOf(caller)).toMatchObject({ inUse: 0 });
  });

  const counterOf = async ({ client }: Caller) =>
    (await storage.quotaItems()).find(({ pk }) => String(pk).includes(`#${client}#`)) ?? {};
  /** The sum of the leases by the second in which they end. */
  const leasesOf = async (caller: Caller) =>
    Object.entries(await counterOf(caller)).reduce(
      (sum, [name, count]) => sum + (name.startsWith("lease_") ? Number(count) : 0),
      0,
    );
});

describe("tokens per day", () => {
  test("count when an answer ends, and restart at midnight UTC", async () => {
    stopClockAt("2030-01-01T23:59:50.000Z");
    const caller = newCaller({ tokensPerDay: 100 });
    await (await admit(caller)).settle(99, true);
    expect((await admit(caller)).headers.ratelimit).toBe('"tokensPerDay";r=1;t=10');
    await (await admit(caller)).settle(500, false); // the model call is billed, whatever the response
    expect(await admit(caller)).toMatchObject({
      rejection: { message: "Daily token quota used up" },
      headers: { ratelimit: '"tokensPerDay";r=0;t=10', "retry-after": "10" },
    });
    stopClockAt("2030-01-02T00:00:00.000Z");
    expect((await admit(caller)).headers.ratelimit).toBe('"tokensPerDay";r=100;t=86400');
  });
});

describe("live threads", () => {
  beforeEach(waitForCounters);

  test("never exceed the limit, and stop counting when the sweep deletes them", async () => {
    stopClockAt("2030-01-01T10:00:00.001Z");
    const caller = newCaller({ liveThreads: 4 });
    const admitted = await Promise.all(Array.from({ length: 10 }, () => admit(caller)));
    expect(admitted.filter(({ rejection }) => !rejection).length).toBeLessThanOrEqual(4);
    await Promise.all(admitted.map(({ settle, rejection }) => settle(0, !rejection)));
    for (let left = admitted.filter(({ rejection }) => !rejection).length; left < 4; left++) {
      expect(await text(caller)).toBeUndefined();
    }
    const over = await admit(caller);
    expect(over.rejection?.message).toBe("Too many live threads");
    expect(over.headers["retry-after"]).toBe("2400"); // the sweep at 10:40
    await over.settle(0, false);
    stopClockAt("2030-01-01T10:40:00.000Z");
    expect((await admit(caller)).headers.ratelimit).toMatch(/^"liveThreads";r=3;/);
  });

  test("whose count was removed twice, because a response was lost, allow no more threads of another sweep", async () => {
    stopClockAt("2030-01-01T10:00:00.000Z");
    const caller = newCaller({ liveThreads: 1 });
    const { settle } = await admit(caller);
    storage.faults.fail("UpdateItem", responseLost);
    await settle(0, false);
    stopClockAt("2030-01-01T10:15:00.000Z"); // of another sweep
    expect(await text(caller)).toBeUndefined();
    expect(await text(caller)).toBe("Too many live threads");
  });

  test.each([
    ["a chat", (threadId: string) => chats.chat({ message: "hello", threadId })],
    ["a person's message", (threadId: string) => addMessage(newContext(), threadId, { content: "hi", author: "Ana" })],
  ])("that %s extends count until their new sweep; if that stays the same, no count is written", async (_, say) => {
    stopClockAt("2030-01-01T10:00:00.001Z");
    const caller = newCaller({ liveThreads: 3 });
    await admit(caller);
    const { threadId } = (await createThread(newContext(caller), {}, { openingTurn: async () => undefined })).body;
    await holdThread(TENANT, threadId, "Ana");
    const writes = storage.faults.calls("UpdateItem");
    stopClockAt("2030-01-01T10:05:00.000Z");
    await say(threadId); // the sweep stays that of 10:40
    expect(storage.faults.calls("UpdateItem")).toBe(writes);
    stopClockAt("2030-01-01T10:15:00.000Z");
    await say(threadId);
    stopClockAt("2030-01-01T10:44:00.000Z");
    expect((await admit(caller)).headers.ratelimit).toMatch(/^"liveThreads";r=1;/);
    await storage.removal.removeThread(TENANT, threadId);
    expect((await admit(caller)).headers.ratelimit).toMatch(/^"liveThreads";r=1;/);
  });

  test("are counted in one small item, even if the client creates threads for days", async () => {
    const caller = newCaller({ liveThreads: 4 });
    for (let hour = 0; hour < 72; hour++) {
      stopClockAt(Date.parse("2030-01-01T00:00:00Z") + hour * 3_600_000);
      expect((await admit(caller)).headers.ratelimit).toMatch(/^"liveThreads";r=3;/);
      expect((await admit(caller)).headers.ratelimit).toMatch(/^"liveThreads";r=2;/);
    }
    const [item, ...more] = (await storage.quotaItems()).filter(({ pk }) => String(pk).includes(`#${caller.client}#`));
    expect(more).toEqual([]);
    expect(Object.keys(item ?? {}).length).toBeLessThan(30);
  });
});

describe("a call to the quota counter", () => {
  test.each([
    ["is lost", requestLost],
    ["fails", internalError],
    ["never answers", neverAnswered],
  ])("that %s is counted and allows the request after at most a second", async (_, fault) => {
    const written = captureMetrics();
    storage.faults.fail("all", fault, Number.POSITIVE_INFINITY);
    const caller = newCaller({ requestsPerMinute: 1, concurrentChats: 1, tokensPerDay: 1, liveThreads: 1 });
    const limits = jest.spyOn(AbortSignal, "timeout");
    const { rejection, headers, settle } = await admit(caller);
    expect(limits.mock.calls).toEqual([[1_000], [1_000], [1_000], [1_000]]); // in parallel, one per quota
    await settle(5, true);
    expect(limits.mock.calls.slice(4)).toEqual([[1_000]]); // the tokens; nothing else was counted
    expect(rejection).toBeUndefined();
    expect(Object.keys(headers)).toEqual(["ratelimit-policy"]);
    expect(written().filter(({ name }) => name === "QuotaUnavailable")).not.toEqual([]);
  });
});

test("a thread is counted for its client only if that has a quota of live threads", async () => {
  const openingTurn = async () => undefined;
  for (const [quotas, countedFor] of [
    [undefined, undefined],
    [{ concurrentChats: 5 }, undefined],
    [{ liveThreads: 5 }, "a-client"],
  ] as const) {
    const caller = { ...CALLER, client: "a-client", quotas };
    const { threadId } = (await createThread(newContext(caller), {}, { openingTurn })).body;
    expect((await storage.threads.readThread(TENANT, threadId))?.countedFor).toBe(countedFor);
  }
});
