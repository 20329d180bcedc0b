import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LambdaEnvironment } from "../../packages/lambda-local/lambda-environment.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { send } from "../bench/requests.ts";
import { type FaultProxy, startFaultProxy } from "../helpers/database/fault-proxy.ts";
import { eventually } from "../helpers/eventually.ts";
import { loadedByInit } from "../helpers/loaded-by-init.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
let environment: TestEnvironment;
let database: FaultProxy;
beforeAll(async () => {
  environment = await startTestEnvironment(assembly);
  database = await startFaultProxy(environment.variables.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  provider.on("connection", () => connections++);
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
});
afterAll(async () => {
  provider.close();
  database.stop();
  await environment.stop();
  rmSync(folder, { recursive: true });
});

/** An endpoint of a model that counts connections. */
const provider = createServer((_, response) => response.writeHead(404).end("{}"));
let connections = 0;

/**
 * Initializes bundles.
 *
 * @returns what each has done: the modules of undici (Node's `fetch`) that are loaded by then, which takes 20 to 40 ms,
 *   and whether it has called the database and connected to the model
 */
async function initialize(files: string[]): Promise<{ undici: string[]; warmedUp: boolean; connected: boolean }[]> {
  const { port } = provider.address() as AddressInfo;
  const env = {
    ...environment.variables,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  };
  const done = [];
  let [calls, opened] = [database.calls(), connections];
  for await (const loaded of loadedByInit(files, env)) {
    const undici = loaded.filter((name) => name.includes("undici"));
    done.push({ undici, warmedUp: database.calls() > calls, connected: connections > opened });
    [calls, opened] = [database.calls(), connections];
  }
  return done;
}

const functions = [...readTemplate(assembly).functions.values()].map((template) => ({
  id: template.name,
  template,
  file: join(template.codePath, "index.mjs"),
  warmsUp: template.environment.API_KEYS_SECRET !== undefined, // public functions and the sweep do not warm up
  asksModel: template.environment.MODEL_KEY_SECRET !== undefined, // the model's SDK loads undici
}));

describe("initialization", () => {
  const without = functions.filter(({ asksModel }) => !asksModel);
  const asking = functions.filter(({ asksModel }) => asksModel);

  test("connects to what a function needs, and does not load undici where no model is asked", async () => {
    const done = await initialize(without.map(({ file }) => file));
    expect(without.map(({ id }, index) => ({ id, ...done[index] }))).toEqual(
      without.map(({ id, warmsUp }) => ({ id, undici: [], warmedUp: warmsUp, connected: false })),
    );
  });

  test("connects to the model where it is asked", async () => {
    const done = await initialize(asking.map(({ file }) => file));
    expect(asking.map(({ id }, index) => ({ id, ...done[index] }))).toEqual(
      asking.map(({ id }) => ({ id, undici: expect.any(Array), warmedUp: true, connected: true })),
    );
  });

  test("a built-in module that loads undici would be detected", async () => {
    const file = join(folder, "index.mjs");
    writeFileSync(file, 'import "node:http";');
    const [{ undici } = { undici: [] }] = await initialize([file]);
    expect(undici).not.toEqual([]);
  });
});

test("the first chat loads no built-in module", async () => {
  const chat = functions.find(({ id }) => id.startsWith("ApiChat")) as (typeof functions)[number];
  const list = join(folder, "list.json");
  writeFileSync(
    join(folder, "index.mjs"),
    `export { handler } from ${JSON.stringify(chat.file)};
    const { writeFileSync } = process.getBuiltinModule("fs");
    const initialized = process.moduleLoadList.length;
    setInterval(() => writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList.slice(initialized))), 50);`,
  );
  const template = { ...chat.template, codePath: folder, environment: environment.variables };
  const chatEnvironment = await LambdaEnvironment.start(template, {}, () => {});
  try {
    const body = { message: "What helps against a headache?" };
    const { response } = await send(chatEnvironment, { method: "POST", path: "/chat", body });
    expect(response).toContain("answer to: What helps");
    rmSync(list, { force: true });
    const read = () => (existsSync(list) ? readFileSync(list, "utf8") : "");
    expect(await eventually(read, (text) => text !== "")).toBe("[]");
  } finally {
    chatEnvironment.stop();
    await chatEnvironment.exited;
  }
});
