import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { withSetting } from "../../../local/service.ts";
import { createGateway, type RequestLine } from "../../../packages/lambda-local/gateway.ts";
import { LocalFunction } from "../../../packages/lambda-local/lambda-function.ts";
import { type Listening, listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";

/** A function whose environments all appear to be busy. */
const busy = {
  invoke: (_event: unknown, signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
} as unknown as LocalFunction;

let server: Listening;
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
  functions.delete(routes.find(({ path }) => path === "/events")?.functionId ?? "");
  const gateway = createGateway({ ...template, routes }, functions, (line) => lines.push(withSetting(line)));
  server = await listenOnLoopback(createServer(gateway));
});
afterAll(() => server.stop());

const post = (path: string) => {
  lines = [];
  return fetch(`${server.origin}${path}`, { method: "POST", body: '{"message":"hello"}' });
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
  expect([response.status, response.headers.get("x-error-code")]).toEqual([503, "service-unavailable"]);
  expect(await response.json()).toEqual({ success: false, error: "Service unavailable" });
});

test("a function that is gone, or that the gateway may not invoke, is unavailable and no matter of too many requests", async () => {
  const response = await fetch(`${server.origin}/v1/events`);
  expect([response.status, response.headers.get("x-error-code")]).toEqual([503, "service-unavailable"]);
  expect(response.headers.get("retry-after")).toBeNull();
  expect(await response.json()).toEqual({ success: false, error: "Service unavailable" });
});
