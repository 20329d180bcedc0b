import { createServer } from "node:http";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { collect } from "../../../test/helpers/collect.ts";
import {
  type Answer,
  cutAfter,
  drop,
  eventStream,
  hang,
  json,
  type ScriptedServer,
  stallAfter,
  startScriptedServer,
} from "../../../test/helpers/model/scripted-server.ts";
import { listenOnLoopback } from "../../lambda-local/loopback.ts";
import { ApiError, type CallOptions, HealthAssistantClient } from "../client.js";

const KEY = "a-key-to-be-kept-secret";

let server: ScriptedServer;
let client: HealthAssistantClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey: KEY, retries: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => server.stop());

/** An event of a streamed answer. */
const delta = (text: string) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`;

/** Returns the error that a promise rejects with. */
const failureOf = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => error,
  );

describe("a request", () => {
  test("sends the key in its header and nowhere else", async () => {
    server.script(json(200, { success: true }));
    await client.chat({ message: "hello" });
    const [sent] = server.requests;
    expect(sent?.headers["x-api-key"]).toBe(KEY);
    expect(sent?.path + (sent?.body ?? "")).not.toContain(KEY);
    expect(inspect({ ...sent?.headers, "x-api-key": "" })).not.toContain(KEY);
  });

  test.each(["", "/"])("goes to the base URL's path, which may end with %j, with the id escaped", async (end) => {
    server.script(json(200, { success: true }));
    await new HealthAssistantClient({ baseUrl: server.baseUrl + end, apiKey: KEY }).getThread("../patients/1?a=x#y");
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/threads/..%2Fpatients%2F1%3Fa%3Dx%23y"]);
  });

  test("throws a TypeError, not an ApiError, for an invalid header value", async () => {
    const error = await failureOf(client.chat({ message: "hello" }, { idempotencyKey: "two\nlines" }));
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error.name).toBe("TypeError");
  });

  test("does not follow redirects, so the key is not sent to another host", async () => {
    let called = false;
    const elsewhere = createServer((_, response) => response.end("{}")).on("request", () => (called = true));
    const { origin: location, stop } = await listenOnLoopback(elsewhere);
    for (const status of [301, 302, 307, 308]) {
      server.script(json(status, {}, { location }));
      await expect(client.openapi()).rejects.toBeInstanceOf(ApiError);
    }
    expect(called).toBe(false);
    stop();
  });
});

describe("the key", () => {
  test("is not shown when the client or an error is printed", async () => {
    server.script(json(401, { error: "Unauthorized - Invalid API key" }));
    const rejected = await failureOf(client.openapi());
    server.script(drop);
    const lost = await failureOf(client.openapi());
    for (const value of [client, rejected, lost]) {
      expect(inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value)).not.toContain(KEY);
    }
  });

  test.each([undefined, ""])("must not be missing: %j", (apiKey) => {
    const make = () => new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey: apiKey as string });
    expect(make).toThrow(/^apiKey is missing: pass the API key of the service/);
  });

  test.each(["two words", "line\n", "ключ"])("must be a valid header value: %j is not", (apiKey) => {
    const make = () => new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey });
    expect(make).toThrow(new TypeError("apiKey must consist of printable ASCII characters"));
  });
});

describe("the base URL", () => {
  test.each(["https://example.test", "https://example.test/", "http://[::1]:3000/a/b/"])("can be %s", (baseUrl) => {
    expect(() => new HealthAssistantClient({ baseUrl, apiKey: KEY })).not.toThrow();
  });

  test.each([
    "",
    "example.test/v1",
    "ftp://example.test/v1",
    "https://name:password@example.test/v1",
    "https://example.test/v1?api_key=secret",
    "https://example.test/v1#top",
    "https://",
  ])("cannot be %s", (baseUrl) => {
    const make = () => new HealthAssistantClient({ baseUrl, apiKey: KEY });
    expect(make).toThrow(/^baseUrl must be an http or https address without credentials, query or fragment$/);
  });
});

describe("an error", () => {
  test("for a duplicate has the existing patient, who is not shown when it is printed", async () => {
    const patient = { id: "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11", name: "Lin Example", phone_number: "15550130001" };
    server.script(json(409, { error: "Patient with this phone number already exists", patient }));
    const error = await failureOf(client.createPatient({ name: "Lin Example" }));
    expect(error).toMatchObject({ name: "ApiError", patient });
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(/Lin|1555/);
  });

  test.each([
    [502, "HTML", "<html>Bad Gateway</html>", "The service answered with status 502"],
    [502, "nothing", "", "The service answered with status 502"],
    [502, "null", "null", "The service answered with status 502"],
    [502, "an error object", '{"error":{"message":"x"}}', "The service answered with status 502"],
    [200, "HTML", "<html>Welcome</html>", "The response is not one of this service"],
    [200, "a number", "5", "The response is not one of this service"],
  ])("is thrown for a %d whose body is %s", async (status, _, body, message) => {
    server.script(json(status, body, { "x-request-id": "r-2" }));
    for (const call of [client.openapi(), client.streamChat({ message: "hello" }).next()]) {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, message, details: undefined, patient: undefined, requestId: "r-2" });
    }
  });

  test.each([
    ["7", 7],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["soon", undefined],
    [undefined, undefined],
  ])("has the seconds of Retry-After: %s, and the code", async (value, retryAfter) => {
    const headers = { "x-error-code": "too-many-requests", ...(value !== undefined && { "retry-after": value }) };
    server.script(json(429, { error: "Too many requests" }, headers));
    const error = await failureOf(client.openapi({ retries: 0 }));
    expect(error).toMatchObject({ status: 429, code: "too-many-requests", retryAfter });
  });

  test("without a response has status 0, the cause and the caller's request id", async () => {
    server.script(drop);
    const lost = await failureOf(client.openapi({ requestId: "visit-17" }));
    expect(lost).toMatchObject({ status: 0, message: "The service cannot be reached", requestId: "visit-17" });
    expect([lost.code, lost.retryAfter]).toEqual([undefined, undefined]);
    expect(lost.cause).toMatchObject({ name: "TypeError", message: "fetch failed" });

    server.script(cutAfter('{"open'));
    const cut = await failureOf(client.openapi());
    expect(cut).toMatchObject({ status: 0, message: "The connection was lost before the answer was complete" });
  });
});

describe("the caller's signal", () => {
  const reason = new Error("the visit is over");

  test("cancels a call before it is sent", async () => {
    server.script(hang);
    await expect(client.openapi({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const withoutReason = client.openapi({ signal: AbortSignal.abort() });
    await expect(withoutReason).rejects.toMatchObject({ name: "AbortError" });
    await expect(withoutReason).rejects.not.toBeInstanceOf(ApiError);
    expect(server.requests).toHaveLength(0);
  });

  test.each<[string, Answer, (options: CallOptions) => Promise<unknown>]>([
    ["a response", hang, (options) => client.openapi(options)],
    ["the rest of a response", stallAfter('{"success":'), (options) => client.openapi(options)],
    [
      "the next event of a stream",
      stallAfter(delta("one"), "text/event-stream"),
      (options) => collect(client.streamChat({ message: "hello" }, options)),
    ],
  ])("cancels a call that waits for %s, without a retry", async (_, answer, call) => {
    const abort = new AbortController();
    server.script((response) => {
      answer(response);
      setTimeout(() => abort.abort(reason), 20);
    });
    await expect(call({ signal: abort.signal, retries: 5 })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  test.each(["during the delay before a retry", "just before that delay"])("cancels a call %s", async (when) => {
    jest.useFakeTimers(); // the delay never ends
    const abort = new AbortController();
    let sent = 0;
    const fetch = async () => {
      sent++;
      if (when === "just before that delay") {
        abort.abort(reason);
      }
      return new Response("{}", { status: 503, headers: { "retry-after": "20" } });
    };
    const patient = new HealthAssistantClient({ baseUrl: server.baseUrl, apiKey: KEY, fetch, retries: 5 });
    const ended = failureOf(patient.openapi({ signal: abort.signal }));
    await jest.advanceTimersByTimeAsync(1_000);
    abort.abort(reason);
    expect(await ended).toBe(reason);
    expect(sent).toBe(1);
  });
});

describe("a streamed answer", () => {
  const RESPONSE = { success: true, response: "one two", threadId: "48213", messageCount: 2 };
  const done = `event: done\ndata: ${JSON.stringify(RESPONSE)}\n\n`;
  const ask = (options = {}) => client.streamChat({ message: "hello", threadId: "48213" }, options);

  test("ignores unknown events", async () => {
    server.script(eventStream(`event: news\ndata: {"a":1}\n\n${delta("one")}${done}`));
    expect((await collect(ask())).map(({ event }) => event)).toEqual(["delta", "done"]);
  });

  test.each([
    ["is cut off", cutAfter(delta("one"), "text/event-stream")],
    ["ends without done", eventStream(delta("one"))],
    ["ends in the middle of an event", eventStream(delta("one") + done.slice(0, -1))],
    ["contains invalid JSON", eventStream(`${delta("one")}event: done\ndata: <html>\n\n`)],
  ])("that %s after its first delta fails without a retry", async (_, answer) => {
    server.script(answer);
    const events = ask({ retries: 2 });
    expect((await events.next()).value).toEqual({ event: "delta", text: "one" });
    expect(await failureOf(events.next())).toMatchObject({
      status: 0,
      message: "The connection was lost before the answer was complete",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("that stalls times out", async () => {
    server.script(stallAfter(delta("one"), "text/event-stream"));
    const events = ask({ timeoutMilliseconds: 1_000 });
    await events.next();
    expect(await failureOf(events.next())).toMatchObject({ status: 0, message: "No answer within 1000 ms" });
  });

  test("closes the connection when iteration stops early", async () => {
    const closed = new Promise((resolve) =>
      server.script((response) => {
        response.on("close", resolve);
        stallAfter(delta("one"), "text/event-stream")(response);
      }),
    );
    for await (const { event } of ask()) {
      expect(event).toBe("delta");
      break;
    }
    await closed;
  });
});
