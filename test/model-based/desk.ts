import { expect } from "@jest/globals";
import type { Desk, Said } from "./thread.ts";
import { completion, newThread } from "./threads.ts";
import { answerTo, type Client, call, type Ended, message } from "./world.ts";

const NAMES = ["Ana", "Ben"];

export const openDesks = ({ desks }: Client) => desks.filter(({ gone, thread }) => !gone && !thread.reused);

export async function openDesk(_: unknown, client: Client): Promise<void> {
  const reply = await call(client, "POST", "/threads", { body: {} });
  const thread = newThread(client, reply, undefined);
  client.desks.push({ thread, said: [], by: undefined, activeFrom: reply.interval.start, gone: false });
}

/** Whether a response shows that the desk's thread is gone, which it may be only after its idle time. */
function isGone(desk: Desk, { status, interval }: Ended, { world }: Client): boolean {
  desk.gone = status === 404;
  if (desk.gone && !desk.thread.reused) {
    expect(interval.end).toBeGreaterThanOrEqual(desk.activeFrom + world.idle);
  }
  return desk.gone || desk.thread.reused;
}

export async function takeOver(desk: Desk, client: Client, way: number): Promise<void> {
  const by = NAMES[way % NAMES.length] as string;
  const reply = await call(client, "PUT", `/threads/${desk.thread.id}/handoff`, { body: { by } });
  if (!isGone(desk, reply, client)) {
    expect(reply).toMatchObject({ status: 200, body: { hold: { by } } });
    desk.by = by;
  }
}

export async function giveBack(desk: Desk, client: Client): Promise<void> {
  const reply = await call(client, "DELETE", `/threads/${desk.thread.id}/handoff`);
  if (!isGone(desk, reply, client)) {
    expect(reply).toMatchObject({ status: 200, body: { hold: null } });
    desk.by = undefined;
  }
}

/** A person's message is one message, and is refused while nobody holds the thread. */
export async function writeAtDesk(desk: Desk, client: Client): Promise<void> {
  const content = message(client);
  const author = desk.by ?? "Nobody";
  const reply = await call(client, "POST", `/threads/${desk.thread.id}/messages`, { body: { content, author } });
  if (isGone(desk, reply, client)) {
    return;
  }
  expect(reply.status).toBe(desk.by === undefined ? 409 : 201);
  if (desk.by !== undefined) {
    add(desk, reply, { role: "person", content, author, id: reply.body.message.id });
    expect(reply.body.messageCount).toBe(desk.said.length);
  }
}

/** The model answers unless a person holds the thread; OpenAI's clients get the same. */
export async function askAtDesk(desk: Desk, client: Client, asOpenAi: boolean): Promise<void> {
  const text = message(client);
  const threadId = desk.thread.id;
  const reply = asOpenAi
    ? await call(client, "POST", "/openai/v1/chat/completions", { body: completion(threadId, text) })
    : await call(client, "POST", "/chat", { body: { message: text, threadId, include: ["ids"] } });
  if (isGone(desk, reply, client)) {
    return;
  }
  const response = asOpenAi ? reply.body.choices?.[0].message.content : reply.body.response;
  const isHeld = desk.by !== undefined;
  expect({ status: reply.status, isAnswer: response === answerTo(text), asked: client.world.asked.has(text) }).toEqual({
    status: 200,
    isAnswer: !isHeld,
    asked: !isHeld,
  });
  const answer: Said = { role: "assistant", content: isHeld ? undefined : response };
  add(desk, reply, { role: "user", content: text }, asOpenAi ? answer : { ...answer, id: reply.body.ids.assistant });
  if (!asOpenAi) {
    expect(reply.body.messageCount).toBe(desk.said.length);
  }
}

function add(desk: Desk, { interval }: Ended, ...said: Said[]): void {
  desk.said.push(...said);
  desk.activeFrom = interval.start;
}

/** Reads who answers, and all messages in pages. */
export async function readDesk(desk: Desk, client: Client, limit: number): Promise<void> {
  const state = await call(client, "GET", `/threads/${desk.thread.id}/handoff`);
  if (isGone(desk, state, client)) {
    return;
  }
  expect(state).toMatchObject({ status: 200, body: { hold: desk.by === undefined ? null : { by: desk.by } } });
  const shown: Said[] = [];
  for (let cursor = "", hasMore = true; hasMore; cursor = `&before=${shown[0]?.id}`) {
    const reply = await call(client, "GET", `/threads/${desk.thread.id}/messages?limit=${limit}${cursor}`);
    if (isGone(desk, reply, client)) {
      return;
    }
    expect(reply.body.messages.length).toBeLessThanOrEqual(limit);
    shown.unshift(...reply.body.messages.toReversed());
    ({ hasMore } = reply.body);
  }
  const { length } = desk.said;
  expect(shown).toMatchObject(desk.said.map(({ content = expect.any(String), ...said }) => ({ ...said, content })));
  expect(shown).toHaveLength(length);
}

/** Answers get feedback, which replaces earlier feedback, or is withdrawn; messages of persons get none. */
export async function rateAtDesk(desk: Desk, client: Client, which: number, rating: "good" | "bad" | "none") {
  const known = desk.said.filter(({ id }) => id !== undefined);
  const said = known[which % Math.max(1, known.length)];
  if (!said) {
    return;
  }
  const path = `/threads/${desk.thread.id}/messages/${said.id}/feedback`;
  const reply =
    rating === "none" ? await call(client, "DELETE", path) : await call(client, "PUT", path, { body: { rating } });
  if (said.role === "person") {
    expect(reply.status).toBe(404);
  } else if (!isGone(desk, reply, client)) {
    expect(reply).toMatchObject({ status: 200, body: rating === "none" ? {} : { feedback: { rating } } });
  }
}
