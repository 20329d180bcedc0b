import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { documentedTable } from "../helpers/documented-table.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";
import { measureOperations, type Operation, type Usages } from "../helpers/service/operations.ts";

let environment: TestEnvironment;
let usages: Usages;
beforeAll(async () => {
  environment = await startTestEnvironment(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  process.env.SOURCES_CACHE_SECONDS = "3600"; // on a busy machine, the template's two seconds pass within an operation
  usages = await measureOperations(environment);
});
afterAll(() => environment.stop());

/** How far the units may be from the documented ones. */
const MARGIN = 0.2;

const documented = documentedTable("operation") as [Operation, Record<string, number>][];

describe("the documented costs of an operation", () => {
  test.each(documented)("are its round trips: %s", (operation, { "round trips": trips }) => {
    expect(usages[operation].trips).toBe(trips);
  });

  test.each(documented)("are its read and write units, give or take a fifth: %s", (operation, row) => {
    const { readUnits, writeUnits, indexWriteUnits } = usages[operation];
    for (const [measured, units = 0] of [
      [readUnits, row["read units"]],
      [writeUnits, row["write units"]],
      [indexWriteUnits, row["of which index"]],
    ] as const) {
      expect(Math.abs(measured - units)).toBeLessThanOrEqual(MARGIN * units);
    }
  });

  test("exist for every operation", () => {
    expect(documented.map(([operation]) => operation).sort()).toEqual(Object.keys(usages).sort());
  });
});
