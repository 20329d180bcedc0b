import { beforeEach, describe, expect, test } from "@jest/globals";
import { echo } from "../helpers/model/scripted-model.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let threadId: string;
beforeEach(async () => {
  threadId = await service.newThread();
  service.model.requests.length = 0;
});

const chat = (message: string, key: string) => service.chat({ message, threadId }, { "idempotency-key": key });
const countOf = async () => (await service.thread(threadId)).messageCount;

describe("Idempotency-Key on POST /chat with a thread", () => {
  test("a retry returns the stored answer and count, without calling the model", async () => {
    const first = await chat("hello", "key-1");
    await service.chat({ message: "another", threadId });
    const again = await chat("hello", "key-1");
    expect(again.body).toEqual(first.body);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.messageCount).toBe(2);
    expect(service.model.requests).toHaveLength(2);
    expect(await countOf()).toBe(4);
  });

  test("a retry may serialize the same request differently", async () => {
    await chat("hello", "key-2");
    const again = await service.call("POST", "/chat", {
      body: `{ "threadId": "${threadId}",  "message": "hello", "unknown": 1 }`,
      headers: { "Idempotency-Key": "key-2" },
    });
    expect(again.status).toBe(200);
    expect(service.model.requests).toHaveLength(1);
  });

  test("ten parallel requests result in one model call, one turn and ten equal answers", async () => {
    let calls = 0;
    service.model.script = () => ({ content: `answer ${++calls}`, delayMs: 100 });
    const replies = await Promise.all(Array.from({ length: 10 }, () => chat("hello", "key-4")));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(calls).toBe(1);
    expect(await countOf()).toBe(2);
  });

  test("after a failure, the key is free for another attempt", async () => {
    service.model.script = () => ({ status: 401 });
    expect((await chat("hello", "key-5")).status).toBe(500);
    service.model.script = echo;
    expect((await chat("hello", "key-5")).body).toMatchObject({ response: "answer to: hello", messageCount: 2 });
  });

  test("a retry that waits for a request takes over when that request fails", async () => {
    const replies = [{ status: 401 } as const, { content: "second" }];
    service.model.script = () => replies.shift() ?? { content: "third" };
    const [first, second] = await Promise.all([chat("hello", "key-6"), chat("hello", "key-6")]);
    expect([first.status, second.status].sort()).toEqual([200, 500]);
    expect(await countOf()).toBe(2);
  });

  test("a stream replays the stored text, even after a plain call", async () => {
    const plain = await chat("hello", "key-7");
    const stream = await openStream(service, { message: "hello", threadId }, { "idempotency-key": "key-7" });
    expect(stream.headers.get("idempotent-replayed")).toBe("true");
    const events = await stream.rest();
    expect(textOf(events)).toBe(plain.body.response);
    expect(events.at(-1)).toEqual({ event: "done", data: plain.body });
    expect(service.model.requests).toHaveLength(1);
  });

  test("the key is deleted with its thread", async () => {
    await chat("hello", "key-8");
    await service.call("DELETE", `/threads/${threadId}`);
    expect((await chat("hello", "key-8")).status).toBe(404);
    threadId = await service.newThread();
    expect((await chat("hello", "key-8")).status).toBe(200);
    expect(service.model.requests).toHaveLength(2);
  });

  test("a key may have 255 characters", async () => {
    expect((await chat("hello", "x".repeat(255))).status).toBe(200);
  });

  test.each(["", "a b", "x".repeat(256)])("rejects the key %j", async (key) => {
    const reply = await chat("hello", key);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(/^Idempotency-Key must have/);
    expect(service.model.requests).toHaveLength(0);
  });
});
