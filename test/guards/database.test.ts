import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";
import { measureOperations, type Operation, type Usages } from "../helpers/service/operations.ts";

let environment: TestEnvironment;
let usages: Usages;
beforeAll(async () => {
  environment = await startTestEnvironment(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  usages = await measureOperations(environment);
});
afterAll(() => environment.stop());

/** Sequential round trips to the database that the caller waits for. */
const TRIPS: [operation: Operation, trips: number][] = [
  ["chat without a thread", 0],
  ["chat on a thread", 2],
  ["chat on a thread with linked patient", 3],
  ["chat on a thread with Idempotency-Key", 3],
  ["chat on a thread with a quota of requests", 2],
  ["chat on a thread with all quotas", 3], // the third one after the response
  ["thread create", 1],
  ["thread create with patient", 2],
  ["thread read", 1],
  ["thread delete", 2],
  ["patient create", 1],
  ["patient create, number taken", 2],
  ["patient read", 1],
  ["sweep, per expired thread", 2],
];

/** Maximum write units that AWS bills, including the index. */
const WRITE_UNITS: [operation: Operation, units: number][] = [
  ["chat without a thread", 0],
  // In a transaction, a turn of 1 to 2 KB costs 4 units, and the thread 2.
  ["chat on a thread", 6],
  // The index deletes the thread's entry for one sweep and writes one for another.
  ["chat on a thread, expiry crosses a sweep", 8],
  ["chat on a thread with linked patient", 6],
  ["chat on a thread with Idempotency-Key", 12],
  ["chat on a thread with a quota of requests", 7],
  ["chat on a thread with all quotas", 10], // a request, a lease acquired and returned, tokens
  ["thread create", 3],
  ["thread delete", 43],
  ["patient create", 5],
  ["sweep, per expired thread", 43],
];

/** Maximum read units. */
const READ_UNITS: [operation: Operation, units: number][] = [
  ["chat on a thread", 3], // 20 messages, about 11 KB
  ["chat on a thread with linked patient", 4],
  ["thread read", 1],
  ["patient read", 1],
  ["sweep, per expired thread", 3],
];

describe("database round trips", () => {
  test.each(TRIPS)("%s: %i", (operation, trips) => {
    expect(usages[operation].trips).toBe(trips);
  });
});

describe("database capacity", () => {
  test.each(WRITE_UNITS)("%s: at most %i write units", (operation, units) => {
    expect(usages[operation].writeUnits).toBeLessThanOrEqual(units);
  });

  test.each(READ_UNITS)("%s: at most %i read units", (operation, units) => {
    expect(usages[operation].readUnits).toBeLessThanOrEqual(units);
  });

  test("a turn writes to the index only when its expiry crosses a sweep", () => {
    expect(usages["chat on a thread"].indexWriteUnits).toBe(0);
    expect(usages["chat on a thread, expiry crosses a sweep"].indexWriteUnits).toBe(2);
  });

  test("write units are reported for every operation that writes", () => {
    for (const [operation, units] of WRITE_UNITS) {
      expect(usages[operation].writeUnits > 0).toBe(units > 0);
    }
  });
});
