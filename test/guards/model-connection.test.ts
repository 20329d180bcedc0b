import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../local/template.ts";
import { loadedByInit } from "../helpers/loaded-by-init.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
let testEnvironment: TestEnvironment;
let provider: Server;
let environment: Record<string, string>;
let connections: number;
beforeAll(async () => {
  testEnvironment = await startTestEnvironment(assembly);
  provider = createServer((_, response) => response.writeHead(404).end("{}"));
  provider.on("connection", () => connections++);
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo;
  environment = { ...testEnvironment.variables, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
});
beforeEach(() => {
  connections = 0;
});
afterAll(async () => {
  provider.close();
  await testEnvironment.stop();
});

const functions = [...readTemplate(assembly).functions.values()].map(({ name, codePath, environment }) => ({
  id: name,
  file: join(codePath, "index.mjs"),
  asksModel: environment.MODEL_KEY_SECRET !== undefined,
}));

describe("initialization preconnects to the model", () => {
  test.each(functions.filter(({ asksModel }) => asksModel))("in $id", async ({ file }) => {
    await loadedByInit(file, environment);
    expect(connections).toBe(1);
  });

  test.each(functions.filter(({ asksModel }) => !asksModel))("not in $id", async ({ file }) => {
    await loadedByInit(file, environment);
    expect(connections).toBe(0);
  });
});
