import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { echo, type ModelReply } from "../helpers/model/scripted-model.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

/** A second try needs a second of the whole, after a wait of 600 ms at most. */
const TOTAL = 2_200;
const FIRST_TOKEN = 250;

let service: TestService;
let threadId: string;
beforeAll(async () => {
  service = await startTestService({
    MODEL_TOTAL_MILLISECONDS: String(TOTAL),
    MODEL_FIRST_TOKEN_MILLISECONDS: String(FIRST_TOKEN),
  });
});
beforeEach(async () => {
  threadId = (await service.call("POST", "/threads", { body: {} })).body.threadId;
  service.model.requests.length = 0;
});
afterEach(() => {
  service.model.script = echo;
});
afterAll(() => service.stop());

const FAILURE = { success: false, error: "Failed to process chat request" };
const STREAM = { accept: "text/event-stream" };
const never = new Promise(() => {});

const chat = (headers: Record<string, string> = {}) =>
  service.call("POST", "/chat", { body: { message: "hello", threadId }, headers });

/** That nothing is left of a chat that failed: no turn, and nothing in the way of the next one. */
async function expectNextToWork(): Promise<void> {
  service.model.script = echo;
  const next = await chat();
  expect(next.status).toBe(200);
  expect(next.body).toEqual({ success: true, response: "answer to: hello", threadId, messageCount: 2 });
  expect(service.model.requests.at(-1)?.body.messages).toHaveLength(2);
}

describe("a model that hangs", () => {
  test("is given up at the total limit, after one try; other chats go on meanwhile, and the next one works", async () => {
    const other = { content: "I do not hang" };
    service.model.script = ({ messages }) => (messages.at(-1)?.content === "hello" ? { hang: true } : other);
    const hanging = chat();
    const meanwhile = await service.call("POST", "/chat", { body: { message: "meanwhile" } });
    expect(meanwhile.body.response).toBe("I do not hang");
    const reply = await hanging;
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual(FAILURE);
    expect(service.model.requests).toHaveLength(2);
    await expectNextToWork();
  });

  test("opens no thread with a question, but the thread is there", async () => {
    const { id } = (await service.call("POST", "/patients", { body: { name: "Pat Example" } })).body.patient;
    service.model.script = () => ({ hang: true });
    const opened = await service.call("POST", "/threads", { body: { patientId: id } });
    expect(opened.status).toBe(201);
    expect(opened.body.messageCount).toBe(0);
    expect(opened.body).not.toHaveProperty("initialMessage");
  });
});

describe("a model that hangs in a stream", () => {
  test("before its first word is asked again, and then given up: status 500 and JSON", async () => {
    service.model.script = () => ({ hang: true });
    const reply = await chat(STREAM);
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual(FAILURE);
    expect(service.model.requests).toHaveLength(2);
    await expectNextToWork();
  });

  test("before its first word, once, is mended by the second try", async () => {
    const replies: ModelReply[] = [{ content: "late", beforeWord: () => never }];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const events = await (await openStream(service, { message: "hello", threadId })).rest();
    expect(textOf(events)).toBe("answer to: hello");
    expect(events.at(-1)).toMatchObject({ event: "done", data: { messageCount: 2 } });
    expect(service.model.requests).toHaveLength(2);
  });

  test("after white space only has not begun to speak, and is asked again", async () => {
    const replies: ModelReply[] = [{ content: "\n\n", finishReason: "stop" }];
    service.model.script = (request) => replies.shift() ?? echo(request);
    const events = await (await openStream(service, { message: "hello", threadId })).rest();
    expect(textOf(events)).toBe("answer to: hello");
    expect(service.model.requests).toHaveLength(2);
  });

  test("between two words ends in an error event, after one try", async () => {
    service.model.script = () => ({
      content: "one two three",
      beforeWord: (index) => (index === 2 ? never : setTimeout(0)),
    });
    const events = await (await openStream(service, { message: "hello", threadId })).rest();
    expect(textOf(events)).toBe("one two");
    expect(events.at(-1)).toEqual({ event: "error", data: FAILURE });
    expect(service.model.requests).toHaveLength(1);
    await expectNextToWork();
  });
});

describe("a model that is slow", () => {
  const pause = FIRST_TOKEN + 300;

  test("to answer a plain call is not held to the first-token limit", async () => {
    service.model.script = () => ({ content: "well considered", delayMs: pause });
    expect((await chat()).body.response).toBe("well considered");
    expect(service.model.requests).toHaveLength(1);
  });

  test("between the words of a stream is not held to the first-token limit", async () => {
    service.model.script = () => ({ content: "well considered", beforeWord: (index) => setTimeout(index * pause) });
    const events = await (await openStream(service, { message: "hello", threadId })).rest();
    expect(events.at(-1)).toMatchObject({ event: "done", data: { response: "well considered" } });
    expect(service.model.requests).toHaveLength(1);
  });
});

describe("no second try begins that cannot finish", () => {
  /** What of the total leaves less than a second after the shortest wait. */
  const late = TOTAL - 1_000 - 200;

  test.each([
    ["in time", 0, 2],
    ["late", late, 1],
  ])("a first one that fails %s is followed by as many as there is time for", async (_, delay, tries) => {
    service.model.script = async () => {
      await setTimeout(delay);
      return { status: 500 };
    };
    expect((await chat()).status).toBe(500);
    expect(service.model.requests).toHaveLength(tries);
  });

  test.each([
    ["that is short is honoured", "0", 2],
    ["that leaves less than a second is not", "2", 1],
  ])("a Retry-After %s", async (_, retryAfter, tries) => {
    service.model.script = () => ({ status: 503, headers: { "retry-after": retryAfter } });
    expect((await chat()).status).toBe(500);
    expect(service.model.requests).toHaveLength(tries);
  });
});
