import { expect } from "@jest/globals";
import type { Interval, ThreadModel } from "./reference.ts";

/** One request on a thread that several clients use at once, with what came of it. */
export type SharedRequest = Interval &
  (
    | { kind: "chat"; question: string; count: number | undefined; context: { role: string; content: string }[] }
    /** The caller hung up: the turn may have been stored, or may be stored later. */
    | { kind: "abandoned chat"; question: string }
    | { kind: "read"; count: number | undefined }
    | { kind: "deletion"; done: boolean }
  );

export interface SharedThread {
  thread: ThreadModel;
  history: SharedRequest[];
}

/**
 * Checks the history of a thread that clients used at once. Requests that overlapped may have happened in either order;
 * everything else must look as if they had happened one after the other.
 *
 * @param idle milliseconds that a thread lives without a message
 */
export function checkHistory({ thread, history }: SharedThread, idle: number): void {
  if (thread.reused) {
    return; // the id belongs to another thread, whose answers these may be
  }
  const deletions = history.filter((one) => one.kind === "deletion");
  const stored = history.filter((one) => one.kind === "chat").filter(({ count }) => count !== undefined);
  const abandoned = history.filter((one) => one.kind === "abandoned chat");
  const problems: string[] = [];

  for (const request of history) {
    if (request.kind === "abandoned chat") {
      continue;
    }
    const found = request.kind === "deletion" ? request.done : request.count !== undefined;
    const before = stored.filter(({ end }) => end <= request.start);
    const lastSurely = Math.max(thread.activity.start, ...before.map(({ start }) => start));
    const lastPossibly = Math.max(
      thread.activity.end,
      ...stored.filter(({ start }) => start < request.end).map(({ end }) => end),
      ...abandoned.filter(({ start }) => start < request.end).map(() => Number.POSITIVE_INFINITY),
    );
    const deleted = deletions.some(({ done, end }) => done && end <= request.start);
    const mayBeDeleted = deletions.some((other) => other !== request && other.done && other.start < request.end);
    if (found && (deleted || request.start >= lastPossibly + idle)) {
      problems.push(`a ${request.kind} found a thread that was gone`);
    }
    if (!found && !mayBeDeleted && request.end < lastSurely + idle) {
      problems.push(`a ${request.kind} did not find a thread that was there`);
    }
    if (request.kind === "read" && request.count !== undefined) {
      const least = Math.max(0, ...before.map(({ count = 0 }) => count));
      const most = 2 * [...stored, ...abandoned].filter(({ start }) => start < request.end).length;
      if (request.count < least || request.count > most) {
        problems.push(`a read counted ${request.count} messages instead of ${least} to ${most}`);
      }
    }
    if (request.kind === "chat" && found) {
      problems.push(...contextProblems(request, stored, before, abandoned));
    }
  }
  if (deletions.filter(({ done }) => done).length > 1) {
    problems.push("two deletions of one thread succeeded");
  }
  problems.push(...countProblems(stored, abandoned.length));
  expect(problems).toEqual([]);
}

type Chat = Extract<SharedRequest, { kind: "chat" }>;

/** Every turn has a place of its own, in the order in which they were stored. */
function countProblems(stored: Chat[], abandoned: number): string[] {
  const problems: string[] = [];
  const counts = stored.map(({ count = 0 }) => count).sort((a, b) => a - b);
  if (new Set(counts).size < counts.length || counts.some((count) => count % 2 !== 0 || count < 2)) {
    problems.push(`the turns were counted ${counts}`);
  }
  if ((counts.at(-1) ?? 0) / 2 - counts.length > abandoned) {
    problems.push(`${counts.length} turns were counted up to ${counts.at(-1)}`);
  }
  for (const chat of stored) {
    if (stored.some(({ start, count = 0 }) => chat.end <= start && count <= (chat.count ?? 0))) {
      problems.push(`the turn counted ${chat.count} came before one counted lower`);
    }
  }
  return problems;
}

/** The model was given whole turns of this thread, in their order, and every one that was stored before. */
function contextProblems(chat: Chat, stored: Chat[], before: Chat[], abandoned: { question: string }[]): string[] {
  const countOf = new Map(stored.map(({ question, count = 0 }) => [question, count]));
  const known = new Set([...countOf.keys(), ...abandoned.map(({ question }) => question)]);
  const questions = chat.context.filter((_, index) => index % 2 === 0);
  const whole = questions.every(
    ({ role, content }, index) =>
      role === "user" && known.has(content) && chat.context[2 * index + 1]?.content === `answer to: ${content}`,
  );
  const counts = questions.map(({ content }) => countOf.get(content)).filter((count) => count !== undefined);
  const ordered = counts.every((count, index) => index === 0 || count > (counts[index - 1] ?? 0));
  const last = Math.max(0, ...before.map(({ count = 0 }) => count));
  const complete = questions.length >= Math.min(10, last / 2);
  const current = last === 0 || abandoned.length > 0 || counts.some((count) => count >= last);
  return whole && ordered && complete && current ? [] : ["a chat was given other messages than the thread's last"];
}
