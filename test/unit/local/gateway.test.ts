import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createGateway, type RequestLine } from "../../../local/gateway.ts";
import { LocalFunction } from "../../../local/lambda-function.ts";
import { readTemplate } from "../../../local/template.ts";

/** A function whose environments all appear to be busy. */
const busy = {
  invoke: (_event: unknown, signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
} as unknown as LocalFunction;

let server: Server;
let lines: RequestLine[] = [];
beforeAll(async () => {
  const template = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const routes = template.routes.map((route) => ({ ...route, timeoutMilliseconds: 100 }));
  const chat = routes.find(({ path }) => path === "/chat")?.functionId;
  const functions = new Map(
    [...template.functions].map(([id, fn]) => {
      const full = new LocalFunction({ ...fn, reservedConcurrency: 0 }, {}, () => {});
      return [id, id === chat ? busy : full];
    }),
  );
  server = createServer(createGateway({ ...template, routes }, functions, (line) => lines.push(line)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

const post = (path: string) => {
  const { port } = server.address() as AddressInfo;
  lines = [];
  return fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body: '{"message":"hello"}' });
};

test("the line of a request that exceeds a function's concurrency says which setting raises the limit", async () => {
  const response = await post("/v1/threads");
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await response.json()).toEqual({ success: false, error: "Too many concurrent requests" });
  expect(lines).toMatchObject([
    { path: "/v1/threads", status: 429, reason: "0 at once are allowed; CHAT_CONCURRENCY raises this limit" },
  ]);
});

test("the gateway waits for the template's timeout and then responds in the API's error shape", async () => {
  const response = await post("/v1/chat");
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ success: false, error: "Internal server error" });
});
