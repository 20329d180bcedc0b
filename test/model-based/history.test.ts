import { expect, test } from "@jest/globals";
import { problemsOf } from "./history.ts";
import type { Thread, ThreadRequest } from "./thread.ts";

const IDLE = 1_000;

const messagesOf = (questions: string[]) =>
  questions.flatMap((question) => [
    { role: "user", content: question },
    { role: "assistant", content: `answer to: ${question}` },
  ]);
const chat = (start: number, end: number, count: number, context: string[] = []): ThreadRequest => ({
  name: "chat",
  found: true,
  question: `question ${count}`,
  count,
  start,
  end,
  messages: messagesOf(context),
});
const read = (start: number, end: number, count: number): ThreadRequest => ({
  name: "read",
  found: true,
  count,
  start,
  end,
});
const shown = (start: number, end: number, questions: string[]): ThreadRequest => ({
  name: "reading of messages",
  found: true,
  start,
  end,
  messages: messagesOf(questions),
});
const missed = (start: number, end: number): ThreadRequest => ({ name: "read", found: false, start, end });
const deletion = (start: number, end: number): ThreadRequest => ({
  name: "deletion",
  found: true,
  deletes: true,
  start,
  end,
});

/** What is wrong with what happened to a thread that was created at time 0. */
const problems = (history: ThreadRequest[]) =>
  problemsOf({ created: { start: 0, end: 0 }, reused: false, history } as unknown as Thread, IDLE);

const LATE_ACTIVITY = { ...read(20, 30, 2), lastActivity: 15 };

test.each<[string, ...ThreadRequest[]]>([
  ["chats are counted in either order", chat(0, 20, 4, ["question 2"]), chat(10, 30, 2)],
  ["a read falls between two chats", chat(0, 10, 2), chat(5, 30, 4, ["question 2"]), read(8, 20, 2)],
  ["a chat loses against a deletion", { ...missed(0, 20), name: "chat" }, deletion(5, 10)],
  ["a thread expires", chat(0, 20, 2), missed(1_015, 1_017)],
  [
    "a chat that began before a thread expired is stored afterwards",
    ...[chat(990, 1_100, 2), missed(1_010, 1_020), read(1_110, 1_120, 2)],
  ],
])("a history of requests that overlapped is accepted when %s", (_, ...history) => {
  expect(problems(history)).toEqual([]);
});

test.each<[string, ...ThreadRequest[]]>([
  ["two turns have one count", chat(0, 20, 2), chat(10, 30, 2)],
  ["a turn is missing", chat(0, 10, 4)],
  ["a later turn has a lower count", chat(0, 10, 4), chat(20, 30, 2)],
  ["a stored turn is missing in the context", chat(0, 10, 2), chat(20, 30, 4)],
  ["the context has a turn of another thread", chat(0, 10, 2), chat(20, 30, 4, ["another"])],
  [
    "the context has turns in the wrong order",
    ...[chat(0, 1, 2), chat(2, 3, 4, ["question 2"]), chat(4, 5, 6, ["question 4", "question 2"])],
  ],
  [
    "the context leaves out an older turn",
    ...[chat(0, 1, 2), chat(2, 3, 4, ["question 2"]), chat(4, 5, 6, ["question 4"])],
  ],
  ["a read misses a stored turn", chat(0, 10, 2), read(20, 30, 0)],
  ["a read counts a turn that nobody sent", read(0, 10, 2)],
  ["a read has a time of the last activity at which nothing was stored", chat(0, 10, 2), LATE_ACTIVITY],
  ["the messages lack a stored turn", chat(0, 10, 2), shown(20, 30, [])],
  ["a deleted thread is found", deletion(0, 10), read(20, 30, 0)],
  ["a thread that was not found is found again", chat(0, 990, 2), missed(1_000, 1_001), read(1_002, 1_003, 2)],
  ["an expired thread is found", read(1_010, 1_020, 0)],
  ["an expired thread accepts a chat", chat(1_010, 1_020, 2)],
  ["a thread is not found", missed(10, 20)],
  [
    "a chat that began in time is stored after a deletion that found the thread expired",
    ...[chat(990, 1_100, 2), { ...missed(1_010, 1_020), name: "deletion" }, read(1_110, 1_120, 2)],
  ],
  ["two deletions succeed", deletion(0, 10), deletion(5, 15)],
])("a history is rejected when %s", (_, ...history) => {
  expect(problems(history)).not.toEqual([]);
});
