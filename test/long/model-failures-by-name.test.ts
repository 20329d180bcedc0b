import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ModelErrorKind } from "../../shared/model/model-error.ts";
import { ANSWER, REFUSAL_FORMS } from "../../tools/safety/wire-forms.ts";
import { echo, type ModelReply, withoutMarkers } from "../helpers/model/scripted-model.ts";
import { HELP } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { type MetricValue, metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService({}); // of its own, so that no earlier connection to the model is open
let threadId: string;
beforeAll(async () => {
  service.model.keepAlive = false; // a connection per attempt, so that each attempt is counted
});
beforeEach(async () => {
  threadId = await newThread(1);
  service.model.requests.length = 0;
});

/** Returns a thread in which "question 0", "question 1", … were asked and answered with an echo. */
async function newThread(turns: number): Promise<string> {
  const id = await service.newThread();
  for (let number = 0; number < turns; number++) {
    await service.call("POST", "/chat", { body: { message: `question ${number}`, threadId: id } });
  }
  return id;
}

/** The messages in the model's recent requests, without the instructions. */
const asked = () =>
  service.model.requests.map(({ body }) => withoutMarkers(body.messages.slice(1)).map(({ content }) => content));

const FORMS = ["plain JSON", "a stream"] as const;
const accept = (form: (typeof FORMS)[number]): Record<string, string> =>
  form === "a stream" ? { accept: "text/event-stream" } : {};

let requests = 0;

/** Sends a chat request and returns the response with its log lines and metrics. */
async function chat(body: unknown, headers: Record<string, string> = {}) {
  const id = `request-${requests++}`;
  const reply = await service.chat(body, { ...headers, "x-request-id": id });
  return { reply, ...(await logged(id)) };
}

/** As `chat`, for an answer whose stream begins; the reply is its events. */
async function streamed(body: unknown) {
  const id = `request-${requests++}`;
  const reply = await service.stream(body, { "x-request-id": id });
  return { reply, ...(await logged(id)) };
}

async function logged(id: string) {
  const lines = await service.linesOf(id);
  return {
    failures: lines.filter(({ event }) => event === "model-failure"),
    metrics: metricsIn(service.logs.filter((line) => line.includes(id))),
    request: lines.at(-1),
  };
}

/** The values of the metric of model failures, each with its kind. */
const countedFailures = (metrics: MetricValue[]) =>
  metrics.filter(({ name }) => name === "ModelFailure").map(({ value, dimensions: { kind } }) => [kind, value]);

/** The counted tokens, as input and output. */
const tokensIn = (metrics: MetricValue[]) => {
  const output = valuesOf(metrics, "OutputTokens");
  return valuesOf(metrics, "InputTokens").map((tokens, index) => [tokens, output[index]]);
};

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** An error response that allows an immediate retry, if it is retryable. */
const refused = (status: number, code?: string): ModelReply => ({
  status,
  headers: { "retry-after": "0" },
  body: { error: { message: "no", code } },
});

/** Each failure, its kind, the number of attempts, and how it looks in a stream if that differs. */
const FAILURES: [what: string, reply: ModelReply, kind: ModelErrorKind, tries: number, inStream?: ModelReply][] = [
  ["answers 401", refused(401), "authentication", 1],
  ["answers 403", refused(403), "authentication", 1],
  ["answers 429", refused(429), "rate-limit", 2],
  ["answers 429 because of missing credit", refused(429, "insufficient_quota"), "quota", 1],
  ["answers 402", refused(402), "quota", 1],
  ["filters the question", refused(400, "content_filter"), "content-filter", 1],
  ["filters its answer", { content: "", finishReason: "content_filter" }, "content-filter", 1],
  ["refuses", { content: "", refusal: "I will not." }, "refusal", 1],
  ["returns an empty answer", { content: "" }, "empty", 2],
  ["returns only whitespace", { content: " \n " }, "empty", 2],
  ["is cut off before its first word", { content: "", finishReason: "length" }, "truncated", 1],
  ["answers 408", refused(408), "timeout", 2],
  ["answers 500", refused(500), "server", 2],
  ["answers 400", refused(400), "rejected", 1],
  ["answers 404", refused(404, "model_not_found"), "rejected", 1],
  ["answers with invalid JSON", { raw: "{" }, "malformed", 2, { raw: "data: {\n\n" }],
  ["drops the connection", { drop: true }, "connection", 2],
  ["answers with an HTML page", { raw: "<html></html>" }, "malformed", 2],
  ["interrupts its answer", { content: "half an", breakAfter: 0 }, "connection", 2],
];

describe.each(FORMS)("for %s, a model that", (form) => {
  test.each(FAILURES)("%s causes a 500, logged and counted by kind; nothing is stored", async (...failure) => {
    const [, reply, kind, tries, inStream = reply] = failure;
    const before = await service.thread(threadId);
    service.model.script = ({ stream }) => (stream ? inStream : reply);
    const failed = await chat({ message: "Where is the clinic?", threadId }, accept(form));
    expect(failed.reply.status).toBe(500);
    expect(failed.reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(failed.reply.body).toEqual({ success: false, error: "Failed to process chat request" });
    expect(service.model.requests).toHaveLength(tries);
    const answered = !("drop" in reply);
    expect(failed.failures).toMatchObject(
      times(tries, { "error.type": kind, ...(answered && { upstreamRequestId: "req_scripted" }) }),
    );
    expect(countedFailures(failed.metrics)).toEqual(times(tries, [kind, 1]));
    expect(await service.thread(threadId)).toEqual(before);
  });

  test("finds the conversation too long is called once more with the newer half of it", async () => {
    const id = await newThread(3);
    service.model.requests.length = 0;
    const replies = [refused(400, "context_length_exceeded")];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const body = { message: "thanks", threadId: id };
    await (form === "a stream" ? service.stream(body) : service.chat(body));
    const [first = [], second] = asked();
    expect(first).toHaveLength(7);
    expect(second).toEqual(["answer to: question 1", "question 2", "answer to: question 2", "thanks"]);
    const [instructions, again] = service.model.requests.map(({ body: { messages } }) => messages[0]);
    expect(again).toEqual(instructions);
    expect((await service.thread(id)).messageCount).toBe(8);
  });

  test.each([
    ["even the newer half", 413, true, 2],
    ["a message without a conversation", 400, false, 1],
  ])("finds %s too long is not called again", async (_, status, onThread, calls) => {
    service.model.script = () => refused(status, "context_length_exceeded");
    const { reply, failures } = await chat({ message: "thanks", ...(onThread && { threadId }) }, accept(form));
    expect(reply.status).toBe(500);
    expect(failures).toMatchObject(
      times(calls, { "error.type": "context-too-long", upstreamRequestId: "req_scripted" }),
    );
    expect(asked()).toHaveLength(calls);
  });
});

describe("the tokens of a response without a usable answer", () => {
  const BILLED: [what: string, reply: ModelReply, responses: number][] = [
    ["was cut off", { content: "half an", finishReason: "length" }, 1],
    ["was filtered", { content: "half an", finishReason: "content_filter" }, 1],
    ["was refused", { content: "", refusal: "I will not." }, 1],
    ["is empty, twice", { content: "" }, 2],
  ];

  describe.each(FORMS)("in %s", (form) => {
    test.each(BILLED)("that %s are counted and logged", async (_, reply, responses) => {
      service.model.script = () => reply;
      const { metrics, request } = await (form === "a stream" ? streamed : chat)({ message: "Where is the clinic?" });
      expect(tokensIn(metrics)).toEqual(times(responses, [10, 5]));
      expect(request).toMatchObject({
        "gen_ai.usage.input_tokens": 10 * responses,
        "gen_ai.usage.output_tokens": 5 * responses,
      });
    });
  });

  test("are added to those of the successful retry", async () => {
    const replies: ModelReply[] = [{ content: "" }];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const { metrics, request } = await chat({ message: "hello" });
    expect(tokensIn(metrics)).toEqual(times(2, [10, 5]));
    expect(request).toMatchObject({
      "gen_ai.usage.input_tokens": 20,
      "gen_ai.usage.output_tokens": 10,
      modelRetry: true,
    });
  });
});

describe("a connection that the provider has closed", () => {
  test("while the function was frozen causes neither a failure nor a wait", async () => {
    service.model.keepAlive = true;
    try {
      service.model.script = echo;
      await chat({ message: "first" }); // its connection stays open
      const replies: ModelReply[] = [{ drop: true }];
      service.model.script = (request) => replies.shift() ?? echo(request);
      const { reply, failures, metrics } = await chat({ message: "second" });
      expect(reply.body.response).toBe("answer to: second");
      expect(failures).toEqual([]);
      expect([...countedFailures(metrics), ...valuesOf(metrics, "ModelRetry")]).toEqual([]);
    } finally {
      service.model.keepAlive = false;
      service.model.script = echo;
      await chat({ message: "closes the connection" });
    }
  });
});

describe("a model that fails once", () => {
  test.each(FORMS)("with 429 and Retry-After: 1 answers after one retry, as %s", async (form) => {
    const replies: ModelReply[] = [{ status: 429, headers: { "retry-after": "1" } }];
    const arrivals: number[] = [];
    service.model.script = (request) => {
      arrivals.push(performance.now());
      return replies.shift() ?? echo(request);
    };
    const body =
      form === "a stream"
        ? (await service.stream({ message: "hello" })).at(-1)?.data
        : (await service.chat({ message: "hello" })).body;
    expect(body).toEqual({ success: true, response: "answer to: hello" });
    expect(arrivals).toHaveLength(2);
    // A lower bound only: the retry waited for the second that the model asked for.
    expect(Number(arrivals[1]) - Number(arrivals[0])).toBeGreaterThan(990);
  });

  test("is counted as a failure and a retry", async () => {
    const replies = [refused(503)];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const { reply, metrics } = await chat({ message: "hello" });
    expect(reply.status).toBe(200);
    expect(countedFailures(metrics)).toEqual([["server", 1]]);
    expect(valuesOf(metrics, "ModelRetry")).toEqual([1]);
  });
});

describe("a Retry-After longer than the time left", () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();
  test.each([
    ["in seconds", () => "60"],
    ["as a date", inAnHour],
  ])("%s ends the chat with a 500 after one attempt", async (_, retryAfter) => {
    service.model.script = () => ({ status: 429, headers: { "retry-after": retryAfter() } });
    const { reply, failures } = await chat({ message: "Where is the clinic?", threadId });
    expect(reply.status).toBe(500);
    expect(failures).toMatchObject([{ "error.type": "rate-limit" }]);
    expect(service.model.requests).toHaveLength(1);
  });
});

describe("a stream whose model fails after its first word", () => {
  const CASES: [what: string, reply: ModelReply, kind: ModelErrorKind, said: string][] = [
    ["is cut off at the length limit", { content: "half an", finishReason: "length" }, "truncated", "half an"],
    ["is filtered", { content: "half an", finishReason: "content_filter" }, "content-filter", "half an"],
    ["turns into a refusal", { content: "half an", refusal: "I will not." }, "refusal", "half an"],
    ["is interrupted", { content: "half an answer", breakAfter: 2 }, "connection", "half an"],
  ];

  test.each(CASES)(
    "because it %s ends with an error event after one attempt; nothing is stored",
    async (...failure) => {
      const [, reply, kind, said] = failure;
      const before = await service.thread(threadId);
      service.model.script = () => reply;
      const { reply: events, failures, metrics } = await streamed({ message: "Where is the clinic?", threadId });
      expect(textOf(events)).toBe(said);
      expect(new Set(events.slice(0, -1).map(({ event }) => event))).toEqual(new Set(["delta"]));
      const data = { success: false, error: "Failed to process chat request", code: "internal-error", help: HELP };
      expect(events.at(-1)).toEqual({ event: "error", data });
      expect(service.model.requests).toHaveLength(1);
      expect(failures).toMatchObject([{ "error.type": kind }]);
      expect(countedFailures(metrics)).toEqual([[kind, 1]]);
      expect(await service.thread(threadId)).toEqual(before);
    },
  );
});

describe("a model that never stops", () => {
  const ENDLESS = { content: "word ".repeat(13_000) };

  test.each<[what: string, reply: ModelReply]>([
    ["writes more than 64,000 characters", ENDLESS],
    ["sends more than 4 MB", { raw: `{"padding": "${"x".repeat(5_000_000)}"}` }],
  ])("and %s causes a 500 after one attempt", async (_, reply) => {
    service.model.script = () => reply;
    const failed = await chat({ message: "Where is the clinic?", threadId });
    expect(failed.reply.status).toBe(500);
    expect(failed.failures).toMatchObject([{ "error.type": "truncated" }]);
    expect(service.model.requests).toHaveLength(1);
  });

  test("is cut off in a stream", async () => {
    service.model.script = () => ENDLESS;
    const { reply: events, failures } = await streamed({ message: "Where is the clinic?", threadId });
    expect(textOf(events).length).toBeLessThanOrEqual(64_000);
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expect(failures).toMatchObject([{ "error.type": "truncated" }]);
  });
});

describe.each(FORMS)("a model that does not know parameters of the request, for %s,", (form) => {
  test.each(
    REFUSAL_FORMS.filter(({ name }) => name.includes("detail with loc")).map((wire) => [wire.name, wire] as const),
  )("answers once they are left out: %s", async (_, wire) => {
    service.model.script = () => ({ wire });
    const body = { message: "hello" };
    const done = form === "a stream" ? (await streamed(body)).reply.at(-1)?.data : (await chat(body)).reply.body;
    expect(done).toEqual({ success: true, response: ANSWER });
  });
});
