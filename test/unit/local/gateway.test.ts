import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createGateway } from "../../../local/gateway.ts";
import type { LocalFunction } from "../../../local/lambda-function.ts";
import { readTemplate } from "../../../local/template.ts";

/** A function whose environments all appear to be busy. */
const busy = {
  invoke: (_event: unknown, signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
} as unknown as LocalFunction;

let server: Server;
beforeAll(async () => {
  const template = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const routes = template.routes.map((route) => ({ ...route, timeoutMilliseconds: 100 }));
  const functions = new Map([...template.functions.keys()].map((id) => [id, busy]));
  server = createServer(createGateway({ ...template, routes }, functions, () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

test("the gateway waits for the template's timeout and then responds in the API's error shape", async () => {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat`, { method: "POST", body: '{"message":"hello"}' });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ success: false, error: "Internal server error" });
});

test("the template's timeout is that of API Gateway", () => {
  const { routes } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  expect(new Set(routes.map(({ timeoutMilliseconds }) => timeoutMilliseconds))).toEqual(new Set([29_000]));
});
