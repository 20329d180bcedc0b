import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { serverSentEvent, startEventStream } from "../../../shared/http/event-stream.ts";

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
});
afterEach(() => {
  jest.useRealTimers();
});

const noFailure = () => {
  throw new Error("nothing has failed");
};

/** Starts a use case that has sent its first event; the test controls the rest. */
async function speaking(failureEvent: (error: unknown) => string = noFailure) {
  const end = Promise.withResolvers<void>();
  let speak: (text: string) => void = () => {};
  const { body, finished } = await startEventStream((send) => {
    speak = (text) => send(serverSentEvent({ text }, "delta"));
    speak("first");
    return end.promise;
  }, failureEvent);
  return { body, finished, speak: (piece: string) => speak(piece), end };
}

/** Returns what has been written but not read yet. */
const written = (body: Readable) => String(body.read() ?? "");

const FIRST = 'event: delta\ndata: {"text":"first"}\n\n';
const COMMENT = ": keep-alive\n\n";

describe("a stream of server-sent events", () => {
  test("is not started by a failure before the first event", async () => {
    const failed = startEventStream(async () => Promise.reject(new Error("at the start")), noFailure);
    await expect(failed).rejects.toThrow("at the start");
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe("an idle stream", () => {
  test("has a comment every 15 seconds", async () => {
    const { body, speak } = await speaking();
    expect(written(body)).toBe(FIRST);
    await jest.advanceTimersByTimeAsync(14_999);
    expect(written(body)).toBe("");
    await jest.advanceTimersByTimeAsync(1);
    expect(written(body)).toBe(COMMENT);
    speak("second");
    await jest.advanceTimersByTimeAsync(30_000);
    expect(written(body)).toBe(`event: delta\ndata: {"text":"second"}\n\n${COMMENT}${COMMENT}`);
  });

  test.each(["resolve", "reject"] as const)("has no comment after its end (%s)", async (how) => {
    const { body, finished, end } = await speaking(() => "");
    how === "resolve" ? end.resolve() : end.reject(new Error("the end"));
    await finished;
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await text(body)).not.toContain(COMMENT);
  });
});

describe("a reader", () => {
  test("that is slow never makes the use case wait", async () => {
    const { body, finished, speak, end } = await speaking();
    const piece = "x".repeat(10_000);
    for (let count = 0; count < 100; count++) {
      speak(piece);
    }
    end.resolve();
    await finished;
    expect((await text(body)).length).toBeGreaterThan(100 * piece.length);
  });
});
