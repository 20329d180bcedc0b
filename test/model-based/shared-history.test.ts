import { describe, expect, test } from "@jest/globals";
import type { ThreadModel } from "./reference.ts";
import { checkHistory, type SharedRequest } from "./shared-history.ts";

const IDLE = 1_000;

const chat = (start: number, end: number, count: number | undefined, context: string[] = []): SharedRequest => ({
  kind: "chat",
  question: `question ${count}`,
  count,
  context: context.flatMap((question) => [
    { role: "user", content: question },
    { role: "assistant", content: `answer to: ${question}` },
  ]),
  start,
  end,
});
const read = (start: number, end: number, count: number | undefined): SharedRequest => ({
  kind: "read",
  count,
  start,
  end,
});
const deletion = (start: number, end: number, done: boolean): SharedRequest => ({ kind: "deletion", done, start, end });

/** Checks what happened to a thread that was created at time 0. */
function check(...history: SharedRequest[]): () => void {
  const thread = { activity: { start: 0, end: 0 }, reused: false } as ThreadModel;
  return () => checkHistory({ thread, history }, IDLE);
}

describe("a history of requests that overlapped is accepted", () => {
  test.each<[string, () => void]>([
    ["when chats are counted in either order", check(chat(0, 20, 4, ["question 2"]), chat(10, 30, 2))],
    ["when a read falls between two chats", check(chat(0, 10, 2), chat(5, 30, 4, ["question 2"]), read(8, 20, 2))],
    ["when a chat loses against a deletion", check(chat(0, 20, undefined), deletion(5, 10, true))],
    ["when a thread expires", check(chat(0, 20, 2), read(1_015, 1_017, undefined))],
  ])("%s", (_, run) => {
    expect(run).not.toThrow();
  });
});

describe("a history is rejected", () => {
  test.each<[string, () => void]>([
    ["when two turns have one count", check(chat(0, 20, 2), chat(10, 30, 2))],
    ["when a turn is missing", check(chat(0, 10, 4))],
    ["when a later turn has a lower count", check(chat(0, 10, 4), chat(20, 30, 2))],
    ["when a stored turn is missing in the context", check(chat(0, 10, 2), chat(20, 30, 4))],
    ["when the context has a turn of another thread", check(chat(0, 10, 2), chat(20, 30, 4, ["another"]))],
    [
      "when the context has turns in the wrong order",
      check(chat(0, 1, 2), chat(2, 3, 4, ["question 2"]), chat(4, 5, 6, ["question 4", "question 2"])),
    ],
    ["when a read misses a stored turn", check(chat(0, 10, 2), read(20, 30, 0))],
    ["when a read counts a turn that nobody sent", check(read(0, 10, 2))],
    ["when a deleted thread is found", check(deletion(0, 10, true), read(20, 30, 0))],
    ["when an expired thread is found", check(read(1_010, 1_020, 0))],
    ["when a thread is not found", check(read(10, 20, undefined))],
    ["when two deletions succeed", check(deletion(0, 10, true), deletion(5, 15, true))],
  ])("%s", (_, run) => {
    expect(run).toThrow();
  });
});
