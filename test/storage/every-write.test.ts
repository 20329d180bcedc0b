import { beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
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
import { WRITE_PATHS, type WritePath } from "../helpers/database/write-paths.ts";

const storage = setUpStorage();
const chats = setUpChats();
beforeEach(() => {
  retryWithoutWaiting();
  jest.spyOn(console, "info").mockReturnValue();
  jest.spyOn(console, "warn").mockReturnValue();
  jest.spyOn(console, "error").mockReturnValue();
});

/** Faults of one write and its retries that must not change the result. */
const TRANSIENT: [string, Fault[]][] = [
  ["never arrives", [requestLost]],
  ["never arrives, twice", [requestLost, requestLost]],
  ["is executed without a response", [responseLost]],
  ["is executed without a response, twice", [responseLost, responseLost]],
  ["is executed with half of a response", [responseCutOff]],
  ["is executed but reported as a failure", [failedAfterwards]],
  ["arrives late", [delayed(30)]],
  ["is throttled", [throttled, throttledAccount]],
  ["is throttled by name", [rejected("ThrottlingException")]],
  ["fails inside DynamoDB", [internalError, unavailable]],
];

/** The same for transactions: when the client retries a transaction that was executed, DynamoDB is busy. */
const BUSY: [string, Fault[]][] = [
  ["is in conflict with another transaction", [conflict, conflict, conflict, conflict]],
  ["exceeds the throughput", [canceled("ProvisionedThroughputExceeded"), canceled("ThrottlingError")]],
  ["is executed without a response, its retry in conflict", [responseLost, conflict]],
  ["is executed without a response, its retries in conflict", [responseLost, conflict, conflict, conflict]],
  ["is executed without a response, its retry throttled", [responseLost, canceled("ThrottlingError")]],
  [
    "is executed with half of a response, its retry exceeding the throughput",
    [responseCutOff, canceled("ProvisionedThroughputExceeded")],
  ],
  ["is reported as a failure, its retry in conflict", [failedAfterwards, conflict]],
  ["is executed without a response, its retries reported as in progress", [responseLost, inProgress, inProgress]],
  ["is reported as in progress on every attempt", [inProgress, inProgress, inProgress]],
];

const isTransaction = ({ operation }: Call) => operation === "TransactWriteItems";

describe.each(Object.entries(WRITE_PATHS))("%s", (_, prepare) => {
  let writes: number;
  let transactions: number;
  beforeAll(async () => {
    ({ writes, transactions } = await countWrites(prepare));
  });

  test("writes and leaves the expected state", () => {
    expect(writes).toBeGreaterThan(0);
    expect(transactions).toBeGreaterThan(0);
  });

  test.each(TRANSIENT)("succeeds if any one write %s", async (_, faults) => {
    for (let index = 0; index < writes; index++) {
      const path = await prepare(storage, chats);
      storage.faults.reset();
      for (const fault of faults) {
        storage.faults.fail("writes", fault, 1, index);
      }
      expect(await path.run()).toEqual(path.result);
      expect(storage.faults.calls("writes")).toBeGreaterThanOrEqual(writes);
      storage.faults.reset();
      await path.expectDone();
    }
  });

  test.each(BUSY)("succeeds if any one transaction %s", async (_, faults) => {
    for (let index = 0; index < transactions; index++) {
      const path = await prepare(storage, chats);
      storage.faults.reset();
      for (const fault of faults) {
        storage.faults.fail(isTransaction, fault, 1, index);
      }
      expect(await path.run()).toEqual(path.result);
      expect(storage.faults.calls(isTransaction)).toBeGreaterThan(transactions);
      storage.faults.reset();
      await path.expectDone();
    }
  });

  test.each([
    ["before", requestLost],
    ["after", responseLost],
  ])("leaves a consistent state if the process dies just %s any one write", async (_, last) => {
    for (let index = 0; index < writes; index++) {
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

/** Runs a path once without faults. */
async function countWrites(prepare: WritePath): Promise<{ writes: number; transactions: number }> {
  const path = await prepare(storage, chats);
  storage.faults.reset();
  expect(await path.run()).toEqual(path.result);
  const counts = { writes: storage.faults.calls("writes"), transactions: storage.faults.calls(isTransaction) };
  await path.expectDone();
  return counts;
}
