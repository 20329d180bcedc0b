import { describe, expect, test } from "@jest/globals";
import { echo } from "../helpers/model/scripted-model.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const newThread = async () => await service.newThread();
const threadInfo = async (threadId: string) => await service.thread(threadId);

describe("POST /chat with Accept: text/event-stream", () => {
  test("forwards words as they arrive and ends with the body of a plain response", async () => {
    const threadId = await newThread();
    const release = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "one two three",
      beforeWord: async (index) => index > 0 && (await release.promise),
    });
    const stream = await openStream(service, { message: "count", threadId });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");

    const first = await stream.next(); // the model has not said its second word yet
    expect(first).toEqual({ event: "delta", data: { text: "one" } });
    expect((await threadInfo(threadId)).messageCount).toBe(0);
    release.resolve();

    const events = await stream.rest();
    expect(events.at(-1)).toEqual({
      event: "done",
      data: { success: true, response: "one two three", threadId, messageCount: 2 },
    });
    expect(`one${textOf(events)}`).toBe("one two three");
    expect((await threadInfo(threadId)).messageCount).toBe(2);
  });

  test("requests a stream from the model, and plain JSON without the header", async () => {
    await service.stream({ message: "a" });
    await service.chat({ message: "b" });
    const [streamed, plain] = service.model.requests.slice(-2);
    expect(streamed?.body).toMatchObject({ stream: true, store: false });
    expect(plain?.body.stream).toBeUndefined();
  });

  test("works without a thread", async () => {
    const events = await service.stream({ message: "hello" });
    expect(events.at(-1)?.data).toEqual({ success: true, response: "answer to: hello" });
    expect(textOf(events)).toBe("answer to: hello");
  });

  test("trims whitespace around the answer in both deltas and response", async () => {
    service.model.script = () => ({ content: "\n\n  Drink water. \n And rest.  \n" });
    const events = await service.stream({ message: "tired" });
    expect(textOf(events)).toBe("Drink water. \n And rest.");
    expect(events.at(-1)?.data.response).toBe("Drink water. \n And rest.");
  });

  test.each([
    ["no message", { message: " " }, 400, "message is required"],
    ["an unknown thread", { message: "hi", threadId: "00000" }, 404, "Thread not found or expired"],
  ])("responds to %s with an error status and JSON", async (_, body, status, error) => {
    const reply = await service.call("POST", "/chat", { body, headers: { accept: "text/event-stream" } });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ success: false, error });
  });

  test("responds with status 500 and JSON when the model fails before its first word", async () => {
    const threadId = await newThread();
    service.model.script = () => ({ status: 401 });
    const reply = await service.call("POST", "/chat", {
      body: { message: "hi", threadId },
      headers: { accept: "text/event-stream" },
    });
    expect(reply.status).toBe(500);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(reply.body).toEqual({ success: false, error: "Failed to process chat request" });
  });

  test("ends with an error event when the model's stream is interrupted, and stores nothing", async () => {
    const threadId = await newThread();
    const before = await threadInfo(threadId);
    service.model.script = () => ({ content: "one two three four", breakAfter: 2 });
    const events = await service.stream({ message: "count", threadId });
    expect(textOf(events)).toBe("one two");
    expect(events.at(-1)).toEqual({
      event: "error",
      data: { success: false, error: "Failed to process chat request" },
    });
    expect(events.some(({ event }) => event === "done")).toBe(false);
    expect(await threadInfo(threadId)).toEqual(before);
  });

  test.each(["length", "content_filter"])("ends with an error event when the finish reason is %s", async (reason) => {
    const threadId = await newThread();
    service.model.script = () => ({ content: "half an", finishReason: reason });
    const events = await service.stream({ message: "count", threadId });
    expect(events.at(-1)?.event).toBe("error");
    expect((await threadInfo(threadId)).messageCount).toBe(0);
  });

  test("ends with the body of a 404 when the thread is deleted while the model answers", async () => {
    const threadId = await newThread();
    const release = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "one two",
      beforeWord: async (index) => index > 0 && (await release.promise),
    });
    const stream = await openStream(service, { message: "count", threadId });
    await stream.next();
    await service.call("DELETE", `/threads/${threadId}`);
    release.resolve();
    const events = await stream.rest();
    expect(events.at(-1)).toEqual({ event: "error", data: { success: false, error: "Thread not found or expired" } });
    expect((await service.call("GET", `/threads/${threadId}`)).status).toBe(404);
  });

  test("stores the turn when the caller disconnects", async () => {
    const threadId = await newThread();
    const release = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "one two",
      beforeWord: async (index) => index > 0 && (await release.promise),
    });
    const stream = await openStream(service, { message: "count", threadId });
    await stream.next();
    stream.hangUp();
    release.resolve();
    for (let tries = 0; (await threadInfo(threadId)).messageCount === 0 && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    service.model.script = echo;
    await service.chat({ message: "next", threadId });
    expect(service.prompt().slice(1)).toEqual([
      { role: "user", content: "count" },
      { role: "assistant", content: "one two" },
      { role: "user", content: "next" },
    ]);
  });
});
