import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../local/template.ts";
import { type FaultProxy, startFaultProxy } from "../helpers/database/fault-proxy.ts";
import { loadedByInit } from "../helpers/loaded-by-init.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
let environment: TestEnvironment;
let database: FaultProxy;
beforeAll(async () => {
  environment = await startTestEnvironment(assembly);
  database = await startFaultProxy(environment.variables.AWS_ENDPOINT_URL_DYNAMODB ?? "");
});
afterAll(async () => {
  database.stop();
  await environment.stop();
  rmSync(folder, { recursive: true });
});

/** The modules of undici, Node's `fetch`, that a bundle loads during initialization. They add 20 ms to a cold start. */
async function undiciLoadedByInit(file: string): Promise<string[]> {
  const env = { ...environment.variables, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint };
  return (await loadedByInit(file, env)).filter((name) => name.includes("undici"));
}

const functions = [...readTemplate(assembly).functions.values()]
  .filter(({ environment }) => !environment.MODEL_KEY_SECRET)
  .map(({ name, codePath, environment }) => ({
    id: name,
    file: join(codePath, "index.mjs"),
    warmsUp: environment.API_KEYS_SECRET !== undefined, // public functions and the sweep do not warm up
  }));

describe("initialization does not load undici", () => {
  test.each(functions)("in $id", async ({ file, warmsUp }) => {
    database.reset();
    expect(await undiciLoadedByInit(file)).toEqual([]);
    expect(database.calls() > 0).toBe(warmsUp); // the warm-up ran
  });

  test("but the test would detect it", async () => {
    const file = join(folder, "index.mjs");
    writeFileSync(file, 'import "node:http";');
    expect(await undiciLoadedByInit(file)).not.toEqual([]);
  });
});
