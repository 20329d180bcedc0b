import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ADDED_WRITE_PATHS } from "../helpers/database/added-write-paths.ts";
import { setUpChats } from "../helpers/database/chats.ts";
import { retryWithoutWaiting } from "../helpers/database/database.ts";
import type { Call, Fault } from "../helpers/database/fault-proxy.ts";
import {
  canceled,
  conflict,
  delayed,
  failedAfterwards,
  inProgress,
  internalError,
  rejected,
  requestLost,
  responseCutOff,
  responseLost,
  throttled,
  throttledAccount,
  unavailable,
} from "../helpers/database/faults.ts";
import { refillRetryQuota, setUpStorage } from "../helpers/database/storage.ts";
import { WRITE_PATHS } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(retryWithoutWaiting);

/** Faults that must not change the result, by what they happen to. */
interface Faults {
  /** One write and its retries. */
  writes: [string, Fault[]][];
  /** One conditional write while other transactions use its item. */
  conditional: [string, Fault[]][];
  /** One transaction: when the client retries a transaction that was executed, DynamoDB is busy. */
  transactions: [string, Fault[]][];
}

/** Whether a write was executed is what a path has to cope with. */
const FAULTS: Faults = {
  writes: [
    ["never arrives, twice", [requestLost, requestLost]],
    ["is executed without a response, twice", [responseLost, responseLost]],
  ],
  conditional: [
    ["is in conflict with another transaction", [conflict, conflict, conflict, conflict]],
    ["is executed without a response, its retries in conflict", [responseLost, conflict, conflict, conflict]],
  ],
  transactions: [
    ["exceeds the throughput", [canceled("ProvisionedThroughputExceeded"), canceled("ThrottlingError")]],
    ["is executed without a response, its retry throttled", [responseLost, canceled("ThrottlingError")]],
  ],
};

/**
 * Other ways in which DynamoDB says the same. The client that all paths share tells them apart, so one path with
 * transactions and one without are enough; test/long/random-clients.test.ts has clients meet all of them in any order.
 */
const IN_OTHER_WORDS: Faults = {
  writes: [
    ["is executed with half of a response", [responseCutOff]],
    ["is executed but reported as a failure", [failedAfterwards]],
    ["is throttled", [throttled, throttledAccount]],
    ["is throttled by name", [rejected("ThrottlingException")]],
    ["fails inside DynamoDB", [internalError, unavailable]],
  ],
  conditional: [["is reported as a failure, its retry in conflict", [failedAfterwards, conflict]]],
  transactions: [
    ["is executed without a response, its retries reported as in progress", [responseLost, inProgress, inProgress]],
    ["is reported as in progress on every attempt", [inProgress, inProgress, inProgress]],
  ],
};
const SAMPLES = ["a chat with an idempotency key", "taking a thread over"];

const isTransaction = ({ operation }: Call) => operation === "TransactWriteItems";
const isConditional = (call: Call) => isTransaction(call) || ["UpdateItem", "DeleteItem"].includes(call.operation);

/** Paths without a transaction. */
const PLAIN = [
  "deleting a short thread",
  "deleting a thread of many turns",
  "taking a thread over",
  "giving a thread back",
];

describe.each(Object.entries({ ...WRITE_PATHS, ...ADDED_WRITE_PATHS }))("%s", (name, prepare) => {
  const picks = { writes: "writes", conditional: isConditional, transactions: isTransaction } as const;
  const counts = { writes: 0, conditional: 0, transactions: 0 };
  const hasTransactions = !PLAIN.includes(name);

  beforeAll(async () => {
    const path = await prepare(storage, chats);
    storage.faults.reset();
    expect(await path.run()).toEqual(path.result);
    for (const kind of Object.keys(counts) as (keyof typeof counts)[]) {
      counts[kind] = storage.faults.calls(picks[kind]);
    }
    await path.expectDone();
  });

  test("writes and leaves the expected state", () => {
    expect(counts.conditional).toBeGreaterThan(0);
    expect(counts.transactions > 0).toBe(hasTransactions);
  });

  /** Expects a run to succeed in spite of the faults, whichever of its writes has them. */
  async function succeeds(kind: keyof typeof counts, faults: Fault[], retried = 1): Promise<void> {
    for (let index = 0; index < counts[kind]; index++) {
      const path = await prepare(storage, chats);
      storage.faults.reset();
      for (const fault of faults) {
        storage.faults.fail(picks[kind], fault, 1, index);
      }
      expect(await path.run()).toEqual(path.result);
      expect(storage.faults.calls(picks[kind])).toBeGreaterThanOrEqual(counts[kind] + retried);
      storage.faults.reset();
      await path.expectDone();
    }
  }

  test("succeeds if any one write arrives late", () => succeeds("writes", [delayed(30)], 0));
  for (const { writes, conditional, transactions } of SAMPLES.includes(name) ? [FAULTS, IN_OTHER_WORDS] : [FAULTS]) {
    test.each(writes)("succeeds if any one write %s", (_, faults) => succeeds("writes", faults));
    test.each(conditional)("succeeds if any one conditional write %s", (_, faults) => succeeds("conditional", faults));
    if (hasTransactions) {
      test.each(transactions)("succeeds if any one transaction %s", (_, faults) => succeeds("transactions", faults));
    }
  }

  test.each([
    ["before", requestLost],
    ["after", responseLost],
  ])("leaves a consistent state if the process dies just %s any one write", async (_, last) => {
    for (let index = 0; index < counts.writes; index++) {
      await refillRetryQuota();
      const path = await prepare(storage, chats);
      storage.faults.reset();
      storage.faults.fail("writes", dieWith(last), 1, index);
      await expect(path.run()).rejects.toThrow();
      storage.faults.reset();
      await path.expectSound();
    }
  });
});

/** Makes this call the process's last: no later call reaches the database. */
function dieWith(last: Fault): Fault {
  return (call) => {
    storage.faults.fail("all", requestLost, Number.POSITIVE_INFINITY);
    return last(call);
  };
}
