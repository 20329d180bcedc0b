import { describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import type { ModelReply } from "../helpers/model/scripted-model.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { type CallOptions, type LogLine, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ANSWERS: [what: string, method: string, path: string, status: number, options?: CallOptions][] = [
  ["a chat", "POST", "/chat", 200, { body: { message: "hello" } }],
  ["a chat that is too large", "POST", "/chat", 413, { body: { message: "hello", padding: "x".repeat(300_000) } }],
  ["a chat without a key", "POST", "/chat", 401, { body: { message: "hello" }, key: null }],
  ["an unknown thread", "GET", "/threads/00000", 404],
  ["the OpenAPI document", "GET", "/openapi.json", 200],
];

const BY_THE_GATEWAY: typeof ANSWERS = [
  ["an unknown route", "GET", "/nowhere", 404],
  ["an unknown method", "PUT", "/chat", 405, { body: {} }],
  ["a path that cannot be decoded", "GET", "/threads/%E0%A4", 400],
  ["a body over the gateway's limit", "POST", "/chat", 413, { body: `"${"x".repeat(7 * 1024 * 1024)}"` }],
];

/**
 * The log lines of the invocation that a call causes, up to its request line, whatever request id they have; the
 * schedule may log at the same time.
 */
async function logOf(call: () => Promise<unknown>): Promise<LogLine[]> {
  const first = service.logs.length;
  await call();
  const all = (): LogLine[] => service.logs.slice(first).map((line) => JSON.parse(line));
  const last = () => all().find(({ message }) => message?.event === "request");
  await eventually(last, Boolean);
  const ofInvocation = all().filter(({ requestId }) => requestId !== undefined && requestId === last()?.requestId);
  return ofInvocation.map(({ message }) => message);
}

describe("x-request-id", () => {
  test.each(ANSWERS)("of %s is the caller's, in the response and in every log line", async (...answer) => {
    const [, method, path, status, options] = answer;
    const id = "caller:4711_a.b-c";
    const lines = await logOf(async () => {
      const reply = await service.call(method, path, { ...options, headers: { "X-Request-Id": id } });
      expect(reply.status).toBe(status);
      expect(reply.headers.get("x-request-id")).toBe(id);
    });
    expect(new Set(lines.map(({ xRequestId }) => xRequestId))).toEqual(new Set([id]));
  });

  test.each(BY_THE_GATEWAY)(
    "of %s is a new one when the caller sends none; headers forbid content type sniffing and caching",
    async (...answer) => {
      const [, method, path, status, options] = answer;
      const replies = [await service.call(method, path, options), await service.call(method, path, options)];
      expect(replies.map((reply) => reply.status)).not.toContain(500);
      expect(replies[0]?.status).toBe(status);
      const ids = replies.map(({ headers }) => headers.get("x-request-id"));
      expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
      expect(ids[0]).not.toBe(ids[1]);
      for (const { headers } of replies) {
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("access-control-allow-origin")).toBeNull();
      }
    },
  );

  test.each<[string, ModelReply, number]>([
    ["a failure", { status: 401 }, 500],
    ["a stream that fails midway", { content: "one two three", breakAfter: 1 }, 200],
  ])("of %s is in the headers and in the log lines that give the reason", async (_, reply, status) => {
    service.model.script = () => reply;
    const lines = await logOf(async () => {
      const stream = await openStream(service, { message: "hello" }, { "x-request-id": "failed" });
      expect([stream.status, stream.headers.get("x-request-id")]).toEqual([status, "failed"]);
      expect((await stream.rest()).at(-1)?.event).toBe(status === 200 ? "error" : undefined);
    });
    expect(lines.map(({ event, xRequestId }) => [event, xRequestId])).toEqual([
      ["model-failure", "failed"],
      ["failure", "failed"],
      ["request", "failed"],
    ]);
  });

  test("has a name of its own in the log, where `requestId` is the invocation's", async () => {
    const lineOf = async (headers: Record<string, string>): Promise<LogLine> => {
      const reply = await service.call("GET", "/threads/00000", { headers });
      const id = reply.headers.get("x-request-id");
      const lines = () => service.logs.map((text): LogLine => JSON.parse(text));
      return eventually(() => lines().find(({ message }) => message?.xRequestId === id), Boolean);
    };
    const named = await lineOf({ "x-request-id": "named" });
    const unnamed = await lineOf({});
    for (const { requestId, message } of [named, unnamed]) {
      expect(requestId).toMatch(UUID);
      expect(requestId).not.toBe(message.xRequestId);
      expect(message).not.toHaveProperty("requestId");
    }
    // With the gateway's ID, a request that the caller named is found in the access log.
    expect(named.message.gatewayRequestId).toMatch(UUID);
    expect(unnamed.message).not.toHaveProperty("gatewayRequestId");
  });

  test.each([
    ["of one character", "x"],
    ["of 128 characters", "x".repeat(128)],
  ])("%s is accepted from the caller", async (_, id) => {
    const reply = await service.call("GET", "/threads/00000", { headers: { "x-request-id": id } });
    expect(reply.headers.get("x-request-id")).toBe(id);
  });

  test.each([
    ["that is too long", "x".repeat(129)],
    ["that is empty", ""],
    ["with a space", "a b"],
    ["with quotes", '"a"'],
    ["with non-ASCII characters", "caf\u00e9"],
  ])("%s is neither accepted from the caller nor logged", async (_, id) => {
    const lines = await logOf(async () => {
      const reply = await service.call("GET", "/threads/00000", { headers: { "x-request-id": id } });
      expect(reply.headers.get("x-request-id")).toMatch(UUID);
    });
    expect(lines.map(({ xRequestId }) => xRequestId)).toEqual([expect.stringMatching(UUID)]);
  });
});
