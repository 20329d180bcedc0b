import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  echo,
  type ModelReply,
  noDanger,
  type ScriptedModel,
  startScriptedModel,
  verdictOf,
} from "../helpers/model/scripted-model.ts";
import { SUSPECTED } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

let fallback: ScriptedModel;
let service: TestService;
let threadId: string;
beforeAll(async () => {
  fallback = await startScriptedModel();
  service = await startTestService({
    OPENAI_MODEL: "first-model",
    FALLBACK_MODEL: "second-model",
    FALLBACK_BASE_URL: fallback.baseUrl,
    FALLBACK_API_KEY: "key-of-the-fallback",
    MODEL_TOTAL_MILLISECONDS: "8000",
    MODEL_FIRST_TOKEN_MILLISECONDS: "1500", // enough for the fallback model on a busy machine
  });
  service.model.keepAlive = false; // a connection per attempt, so that each attempt is counted
});
beforeEach(async () => {
  threadId = await service.newThread();
  service.model.requests.length = 0;
  fallback.requests.length = 0;
  fallback.script = () => ({ content: "from the second" });
});
afterEach(() => {
  Object.assign(service.model, { script: echo, verdict: noDanger });
});
afterAll(async () => {
  await service.stop();
  fallback.stop();
});

let requests = 0;

/** Sends a chat, and returns the response, the request's log line and the metrics. */
async function chat(headers: Record<string, string> = {}) {
  const id = `request-${requests++}`;
  const reply = await service.chat({ message: "hello", threadId }, { ...headers, "x-request-id": id });
  return { reply, ...(await logged(id)) };
}

async function logged(id: string) {
  const line = (await service.linesOf(id)).at(-1); // written after the metrics
  return { line, metrics: metricsIn(service.logs.filter((text) => text.includes(id))) };
}

/** The number of calls to the primary model and to the fallback model. */
const asked = () => [service.model.requests.length, fallback.requests.length];

const FORMS = ["plain JSON", "a stream"] as const;
const accept = (form: (typeof FORMS)[number]): Record<string, string> =>
  form === "a stream" ? { accept: "text/event-stream" } : {};

describe("the fallback model", () => {
  test("gives the verdict on a suspicion if the primary model cannot", async () => {
    service.model.verdict = () => ({ status: 401 });
    fallback.verdict = () => verdictOf("emergency", "stroke");
    const { body } = await service.chat({ message: SUSPECTED.emergency[0], threadId });
    expect(body.response).toMatch(/^This could be an emergency\..*\n\nanswer to: /s);
    expect([service.model.verdictRequests.length, fallback.verdictRequests.length]).toEqual([1, 1]);
  });

  test("is not called while the primary model answers", async () => {
    const { reply, line } = await chat();
    expect(reply.body.response).toBe("answer to: hello");
    expect(asked()).toEqual([1, 0]);
    expect(line).toMatchObject({ "gen_ai.request.model": "first-model" });
    expect(line).not.toHaveProperty("fallback");
  });

  test.each<[string, ModelReply]>([
    ["authentication", { status: 401 }],
    ["content filter", { content: "half", finishReason: "content_filter" }],
    ["a long Retry-After", { status: 429, headers: { "retry-after": "3600" } }],
  ])("is called without a retry after a failure that is not retryable: %s", async (_, failure) => {
    service.model.script = () => failure;
    const { reply } = await chat();
    expect(reply.body).toEqual({ success: true, response: "from the second", threadId, messageCount: 2 });
    expect(asked()).toEqual([1, 1]);
  });

  test("answers when the primary model returns a server error on both attempts", async () => {
    service.model.script = () => ({ status: 500 });
    expect((await chat()).reply.body.response).toBe("from the second");
    expect(asked()).toEqual([2, 1]);
  });

  test.each(FORMS)("answers when the primary model sends an error object with status 200, in %s", async (form) => {
    service.model.script = () => ({ raw: 'data: {"error": {"message": "out of memory"}}\n\n' });
    const body = { message: "hello", threadId };
    const answered = form === "a stream" ? service.stream : service.chat;
    expect(JSON.stringify(await answered(body))).toContain("from the second");
    expect(asked()).toEqual([2, 1]);
    expect((await service.thread(threadId)).messageCount).toBe(2);
  });

  test("answers when the primary model times out", async () => {
    service.model.script = () => ({ hang: true });
    const { reply, line } = await chat();
    expect(reply.body.response).toBe("from the second");
    expect(asked()).toEqual([1, 1]);
    expect(line).toMatchObject({ status: 200, "gen_ai.request.model": "second-model", fallback: true });
  });

  test("streams its answer when the primary model never sends a word", async () => {
    service.model.script = () => ({ hang: true });
    const events = await service.stream({ message: "hello", threadId });
    expect(textOf(events)).toBe("from the second");
    expect(events.at(-1)).toMatchObject({ event: "done", data: { response: "from the second", messageCount: 2 } });
    expect(asked()).toEqual([2, 1]);
  });

  test.each<[string, ModelReply]>([
    ["is interrupted", { content: "one two three", breakAfter: 2 }],
    ["is filtered", { content: "one two", finishReason: "content_filter" }],
  ])("is not called once words of the primary model were sent: a stream that %s ends with an error", async (...to) => {
    service.model.script = () => to[1];
    const events = await service.stream({ message: "hello", threadId });
    expect(textOf(events)).toBe("one two");
    expect(events.at(-1)?.event).toBe("error");
    expect(asked()).toEqual([1, 0]);
    expect((await service.thread(threadId)).messageCount).toBe(0);
  });

  test("is called with its own model name and key, and the same conversation", async () => {
    await chat();
    service.model.script = () => ({ status: 401 });
    await chat();
    const [first, second] = [service.model.requests.at(-1), fallback.requests.at(-1)];
    expect(first?.headers.authorization).toBe("Bearer key-of-the-model");
    expect(second?.headers.authorization).toBe("Bearer key-of-the-fallback");
    expect(JSON.stringify(second)).not.toContain("key-of-the-model");
    expect(second?.body).toMatchObject({ model: "second-model", store: false });
    expect(second?.body.messages).toEqual(first?.body.messages);
  });

  test.each(FORMS)("is named in the log and the metrics when it answers %s", async (form) => {
    service.model.script = () => ({ status: 401 });
    const id = `named-${form.replaceAll(" ", "-")}`;
    const body = { message: "hello", threadId };
    const answered = form === "a stream" ? service.stream : service.chat;
    expect(JSON.stringify(await answered(body, { "x-request-id": id }))).toContain("from the second");
    const { line, metrics } = await logged(id);
    expect(line).toMatchObject({ "gen_ai.request.model": "second-model", fallback: true });
    expect(valuesOf(metrics, "ModelFallback")).toEqual([1]);
    expect(valuesOf(metrics, "ModelLatency", { model: "second-model" })).toHaveLength(1);
    expect(metrics.filter(({ name }) => name === "ModelLatency")).toHaveLength(1);
  });

  test.each(FORMS)("is not retried when it fails too; the response is a 500, for %s", async (form) => {
    service.model.script = () => ({ status: 500 });
    fallback.script = () => ({ status: 500 });
    const { reply, line } = await chat(accept(form));
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual({ success: false, error: "Failed to process chat request" });
    expect(asked()).toEqual([2, 1]);
    expect(line).not.toHaveProperty("model");
    expect((await service.thread(threadId)).messageCount).toBe(0);
  });
});

test("after the first model's first words, the fallback model still answers below an alert that is read as a whole", async () => {
  service.model.script = () => ({ content: "Until help comes, sit down", breakAfter: 2 });
  const message = "I have crushing chest pain and my left arm is numb";
  const { body } = await service.chat({ message, threadId, include: ["parts"] });
  expect(asked()[1]).toBe(1);
  expect(body.parts.map(({ kind }: { kind: string }) => kind)).toEqual(["alert", "words"]);
  expect(body.parts[1].text).toBe("from the second");
  const stream = await service.stream({ message, threadId });
  expect(asked()[1]).toBe(1); // what was sent cannot be taken back
  expect(textOf(stream)).toMatch(/could not be given\.$/);
});
