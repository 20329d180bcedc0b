import { describe, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

test.each(["\u200b", "\u200b\u200d\ufeff", " \u2060\n", "\u00ad", "\ufe0f", "\u3164", "\u2800", "\u0000", "\u{e0061}"])(
  "a message of invisible characters only is none: %j",
  async (message) => {
    expect(await service.chat({ message })).toMatchObject({ status: 400, body: { error: "message is required" } });
  },
);

test.each(["👨‍👩‍👧", ".", "क्‍ष", "?"])("a message with a visible character is one: %s", async (message) => {
  expect((await service.chat({ message })).status).toBe(200);
});

test("an idempotency key is the same with and without the quotes of structured headers", async () => {
  const create = (key: string) => service.call("POST", "/threads", { body: {}, headers: { "idempotency-key": key } });
  const first = await create("quoted-or-not");
  const second = await create('"quoted-or-not"');
  expect([second.body.threadId, second.headers.get("idempotent-replayed")]).toEqual([first.body.threadId, "true"]);
  const escaped = await create('"a\\"b"');
  expect((await create('a"b')).body.threadId).toBe(escaped.body.threadId);
  expect((await create('"')).body.threadId).not.toBe(first.body.threadId);
  expect((await create('""')).status).toBe(400);
});

test("a stream asks those who pass it on neither to buffer nor to change it", async () => {
  const response = await fetch(`${service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, accept: "text/event-stream", "content-type": "application/json" },
    body: '{"message":"hello"}',
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
  await response.text();
});

test("an empty X-API-Key counts as none, beside a key in the query", async () => {
  const read = (key: string, query: string) =>
    fetch(`${service.baseUrl}/threads/00000${query}`, { headers: { "x-api-key": key } });
  expect((await read("", `?api_key=${API_KEY}`)).status).toBe(404);
  expect((await read(" ", `?api_key=${API_KEY}`)).status).toBe(404);
  expect((await read("wrong", `?api_key=${API_KEY}`)).status).toBe(401);
  expect((await read("", "")).status).toBe(401);
});

describe("the time of a consent", () => {
  test.each(["9999-12-31T23:59:59Z", "2026-03-01", "yesterday", "2026-03-01T09:00:00"])(
    "must be a time that has passed, and the error says in which form: %s",
    async (at) => {
      const body = { name: "Pat", consent: { given: true, at, version: "2026-03" } };
      const reply = await service.call("POST", "/patients", { body });
      expect(reply).toMatchObject({
        status: 400,
        body: {
          details: [
            {
              path: "consent.at",
              message: "must be a time with a time zone, such as 2026-03-01T09:00:00Z, and not in the future",
            },
          ],
        },
      });
    },
  );
});

test("moreDetails counts all unknown fields", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`unknown${index}`, 1]));
  const reply = await service.call("POST", "/patients", {
    body: { name: "Pat", ...unknown },
    headers: { prefer: "handling=strict" },
  });
  expect(reply.body.details).toHaveLength(20);
  expect(reply.body.moreDetails).toBe(14_980);
});
