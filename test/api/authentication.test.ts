import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { API_KEY, type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const UNAUTHORIZED = { error: "Unauthorized - Invalid API key" };

const INVALID_KEYS: [name: string, query: string, options: CallOptions][] = [
  ["no key", "", { key: null }],
  ["an empty key", "", { key: "" }],
  ["an unknown key", "", { key: "no-such-key" }],
  ["a truncated key", "", { key: API_KEY.slice(0, -1) }],
  ["the key under another name", `?apikey=${API_KEY}&API_KEY=${API_KEY}`, { key: null }],
  ["the key as a bearer token", "", { key: null, headers: { authorization: `Bearer ${API_KEY}` } }],
  ["an unknown key in the header and the right one in the query", `?api_key=${API_KEY}`, { key: "no-such-key" }],
];

test.each(INVALID_KEYS)("%s is rejected", async (_, query, options) => {
  const reply = await service.call("POST", `/chat${query}`, { body: { message: "hello" }, ...options });
  expect([reply.status, reply.body]).toEqual([401, UNAUTHORIZED]);
});

test("the key in the header counts, whatever the query contains, and a key in the query may be escaped", async () => {
  expect((await service.call("GET", "/feedback?api_key=no-such-key")).status).toBe(200);
  const escaped = API_KEY.replaceAll("-", "%2D");
  expect((await service.call("GET", `/feedback?api_key=${escaped}`, { key: null })).status).toBe(200);
});

test.each(["X-API-Key", "x-api-key", "X-Api-Key", "X-API-KEY"])("the header may be written %s", async (header) => {
  const sent = request(`${service.baseUrl}/feedback`, { headers: { [header]: API_KEY } });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await json(response);
  expect(response.statusCode).toBe(200);
});

describe("a request without a key", () => {
  test.each(["/chat", "/threads", "/patients"])("to POST %s is rejected before its body is read", async (path) => {
    for (const body of ["{", "[]", "", `{"padding":"${"x".repeat(300_000)}"}`]) {
      const reply = await service.call("POST", path, { body, key: null });
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual(UNAUTHORIZED);
    }
  });

  test("has no effect", async () => {
    const threadId = await service.newThread();
    const before = service.model.requests.length;
    await service.call("DELETE", `/threads/${threadId}`, { key: null });
    await service.call("POST", "/chat", { body: { message: "hello", threadId }, key: null });
    await service.call("POST", "/patients", { body: { phone_number: "5550150001" }, key: null });

    expect((await service.thread(threadId)).messageCount).toBe(0);
    expect(service.model.requests).toHaveLength(before);
    expect((await service.call("POST", "/patients", { body: { phone_number: "5550150001" } })).status).toBe(201);
  });

  test("gets the same response whether or not the resource exists", async () => {
    const { id } = (await service.call("POST", "/patients", { body: { name: "Pat Example" } })).body.patient;
    const known = await service.call("GET", `/patients/${id}`, { key: null });
    const unknown = await service.call("GET", "/patients/00000000-0000-4000-8000-000000000000", { key: null });
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  });
});
