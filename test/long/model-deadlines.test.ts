import { setTimeout } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { echo, type ModelReply } from "../helpers/model/scripted-model.ts";
import { HELP } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

/** A retry requires that one second of the total remains, after a wait of at most 600 ms. */
const TOTAL = 5_000;
/** Long enough for a busy machine to pass on the first word of an answer that is not delayed. */
const FIRST_TOKEN = 2_000;

const service = setUpService({
  MODEL_TOTAL_MILLISECONDS: String(TOTAL),
  MODEL_FIRST_TOKEN_MILLISECONDS: String(FIRST_TOKEN),
});
let threadId: string;
beforeEach(async () => {
  threadId = await service.newThread();
  service.model.requests.length = 0;
  service.logs.length = 0;
});

const FAILURE = { success: false, error: "Failed to process chat request" };
const STREAM = { accept: "text/event-stream" };
const never = new Promise(() => {});

const chat = (headers: Record<string, string> = {}) => service.chat({ message: "hello", threadId }, headers);

/** The limits that the log says have ended an answer, in the thread's chats so far. */
async function limitsInLog() {
  const failures = () => service.logs.filter((line) => line.includes('"model-failure"'));
  const lines = await eventually(failures, ({ length }) => length > 0);
  return lines.map((line) => JSON.parse(line).message).map(({ limit, limitMs }) => ({ limit, limitMs }));
}

/** Asserts that a failed chat leaves no turn behind and does not block the next chat. */
async function expectNextToWork(): Promise<void> {
  service.model.script = echo;
  const next = await chat();
  expect(next.status).toBe(200);
  expect(next.body).toEqual({ success: true, response: "answer to: hello", threadId, messageCount: 2 });
  expect(service.prompt()).toHaveLength(2);
}

describe("a model that hangs", () => {
  test("is abandoned at the total limit after one attempt; other chats continue meanwhile, and the next chat works", async () => {
    const other = { content: "I do not hang" };
    service.model.script = ({ messages }) => (messages.at(-1)?.content === "hello" ? { hang: true } : other);
    const hanging = chat();
    const meanwhile = await service.chat({ message: "meanwhile" });
    expect(meanwhile.body.response).toBe("I do not hang");
    const reply = await hanging;
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual(FAILURE);
    expect(service.model.requests).toHaveLength(2);
    expect(await limitsInLog()).toEqual([{ limit: "total", limitMs: TOTAL }]);
    await expectNextToWork();
  });
});

describe("a model that hangs in a stream", () => {
  test("before its first word is retried and then abandoned with status 500 and JSON", async () => {
    service.model.script = () => ({ hang: true });
    const reply = await chat(STREAM);
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual(FAILURE);
    expect(service.model.requests).toHaveLength(2);
    expect((await limitsInLog())[0]).toEqual({ limit: "first-word", limitMs: FIRST_TOKEN });
    await expectNextToWork();
  });

  test.each<[string, ModelReply]>([
    ["before its first word only once", { content: "late", beforeWord: () => never }],
    ["after nothing but whitespace", { content: "\n\n", finishReason: "stop" }],
  ])("%s answers on the retry", async (_, reply) => {
    const replies = [reply];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const events = await service.stream({ message: "hello", threadId });
    expect(textOf(events)).toBe("answer to: hello");
    expect(events.at(-1)).toMatchObject({ event: "done", data: { messageCount: 2 } });
    expect(service.model.requests).toHaveLength(2);
  });

  test("between two words ends the stream with an error event after one attempt", async () => {
    service.model.script = () => ({
      content: "one two three",
      beforeWord: (index) => (index === 2 ? never : setTimeout(0)),
    });
    const events = await service.stream({ message: "hello", threadId });
    expect(textOf(events)).toBe("one two");
    expect(events.at(-1)).toEqual({ event: "error", data: { ...FAILURE, code: "internal-error", help: HELP } });
    expect(service.model.requests).toHaveLength(1);
    await expectNextToWork();
  });
});

describe("a slow model", () => {
  const pause = FIRST_TOKEN + 300;

  test("is not bound by the first-token limit in a plain call", async () => {
    service.model.script = () => ({ content: "well considered", delayMs: pause });
    expect((await chat()).body.response).toBe("well considered");
    expect(service.model.requests).toHaveLength(1);
  });

  test("is not bound by the first-token limit between the words of a stream", async () => {
    service.model.script = () => ({ content: "well considered", beforeWord: (index) => setTimeout(index * pause) });
    const events = await service.stream({ message: "hello", threadId });
    expect(events.at(-1)).toMatchObject({ event: "done", data: { response: "well considered" } });
    expect(service.model.requests).toHaveLength(1);
  });
});

describe("a retry starts only if it can finish", () => {
  /** The part of the total after which less than a second remains, even with the shortest wait. */
  const late = TOTAL - 1_000 - 200;

  test.each([
    ["early", 0, 2],
    ["late", late, 1],
  ])("after a first attempt that fails %s", async (_, delay, tries) => {
    service.model.script = async () => {
      await setTimeout(delay);
      return { status: 500 };
    };
    expect((await chat()).status).toBe(500);
    expect(service.model.requests).toHaveLength(tries);
  });

  test.each([
    ["that is short is honored", "0", 2],
    ["that leaves less than a second is not", String(TOTAL / 1_000 - 1), 1],
  ])("a Retry-After %s", async (_, retryAfter, tries) => {
    service.model.script = () => ({ status: 503, headers: { "retry-after": retryAfter } });
    expect((await chat()).status).toBe(500);
    expect(service.model.requests).toHaveLength(tries);
  });
});
