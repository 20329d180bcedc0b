import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Surroundings, startSurroundings } from "../helpers/in-process.ts";
import { measureOperations, type Operation, type Usages } from "../helpers/operations.ts";

let surroundings: Surroundings;
let usages: Usages;
beforeAll(async () => {
  surroundings = await startSurroundings(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  usages = await measureOperations(surroundings);
});
afterAll(() => surroundings.stop());

/** Trips to the database that follow each other; each is time that a caller waits. */
const TRIPS: [operation: Operation, trips: number][] = [
  ["chat without a thread", 0],
  ["chat on a thread", 2],
  ["chat on a thread with linked patient", 3],
  ["chat on a thread with Idempotency-Key", 3],
  ["thread create", 1],
  ["thread create with patient", 2],
  ["thread read", 1],
  ["thread delete", 2],
  ["patient create", 1],
  ["patient create, number taken", 2],
  ["patient read", 1],
  ["sweep, per expired thread", 2],
];

describe("the way to the database and back", () => {
  test.each(TRIPS)("%s: %i times", (operation, trips) => {
    expect(usages[operation].trips).toBe(trips);
  });
});
