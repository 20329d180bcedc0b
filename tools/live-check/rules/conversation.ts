import { isDeepStrictEqual } from "node:util";
import type { ChatEvent, ChatResponse } from "conversational-health-assistant-service/client";
import { idleTime } from "../../../shared/threads/thread.ts";
import { fault, genericError, messagePage, plainError, threadAnswer, threadInfo } from "../bodies.ts";
import { Deviation, needed } from "../deviation.ts";
import { bodyFaults } from "../faults.ts";
import { deletedThreadId, deleteThread, linkedThread } from "../fixtures.ts";
import { exchange, type Rule } from "../rule.ts";
import type { Reply, Target } from "../target.ts";

const message = "Live check: please answer with one short sentence.";

/** Chats on the thread, by default always with the same key. */
async function ask(target: Target, said = message, idempotencyKey = target.idempotencyKey("asked")): Promise<Reply> {
  const request = { message: said, threadId: (await linkedThread(target)).threadId };
  return target.call((client, options) => client.chat(request, { ...options, idempotencyKey }));
}

/** Verifies the thread's information, and returns its expiry time. */
async function look(target: Target, messageCount: number): Promise<string> {
  const { threadId } = await linkedThread(target);
  const reply = await target.call((client, options) => client.getThread(threadId, options));
  target.hold(reply, 200, threadInfo({ threadId, patientId: needed(target.found.patientId), messageCount }));
  return (reply.body as { thread: { expiresAt: string } }).thread.expiresAt;
}

/** Requests a streamed answer on the thread, and verifies that its events agree with each other and with the contract. */
async function stream(target: Target): Promise<ChatResponse> {
  const { threadId } = await linkedThread(target);
  const { reply, events } = await target.stream(
    { message, threadId },
    { idempotencyKey: target.idempotencyKey("streamed") },
  );
  target.holdStream(reply);
  const last = events.at(-1);
  if (last?.event !== "done" || events.length < 2) {
    throw new Deviation(["events: expected one or more delta events, then done"]);
  }
  const faults = bodyFaults(threadAnswer(threadId, 4), last.response);
  if (events.map(textOf).join("") !== last.response.response) {
    faults.push("events: expected the delta texts to add up to the response of done");
  }
  if (faults.length > 0) {
    throw new Deviation(faults);
  }
  return last.response;
}

const textOf = (event: ChatEvent) => (event.event === "delta" ? event.text : "");

function later(before: string, now: string): void {
  if (Date.parse(now) <= Date.parse(before)) {
    throw new Deviation(["thread.expiresAt: expected a later time than when the thread was created"]);
  }
}

function same(before: unknown, now: unknown): void {
  if (!isDeepStrictEqual(before, now)) {
    throw new Deviation(["body: expected the same as in the response to the first request"]);
  }
}

/** The lifecycle of one thread, in this order. Two of the rules call the model. */
export const conversation: Rule[] = [
  {
    name: "POST /chat with a threadId: 200 with threadId and messageCount 2",
    play: async (target) => {
      const { threadId } = await linkedThread(target);
      const reply = await ask(target);
      target.hold(reply, 200, threadAnswer(threadId, 2));
      target.found.answer = reply.body as ChatResponse;
    },
  },
  {
    name: `GET /threads/{id} after the chat: 200, messageCount 2, expires ${idleTime()} after lastActivity`,
    play: async (target) => {
      needed(target.found.answer);
      later((await linkedThread(target)).expiresAt, await look(target, 2));
    },
  },
  {
    name: "GET /threads/{id} does not extend the expiry",
    play: async (target) => {
      needed(target.found.answer);
      const before = await look(target, 2);
      if ((await look(target, 2)) !== before) {
        throw new Deviation(["thread.expiresAt: expected the same time as in the previous response"]);
      }
    },
  },
  {
    name: "POST /chat again with the same Idempotency-Key: 200 with the stored answer",
    play: async (target) => {
      const stored = needed(target.found.answer);
      const reply = await ask(target);
      target.hold(reply, 200, threadAnswer((await linkedThread(target)).threadId, 2));
      same(stored, reply.body);
    },
  },
  exchange(
    "POST /chat with another message and the same Idempotency-Key",
    422,
    genericError("Idempotency-Key was used with another request"),
    async (target) => {
      needed(target.found.answer);
      return ask(target, "Live check: another message.");
    },
  ),
  exchange("POST /chat with an Idempotency-Key of 256 characters", 400, fault("Idempotency-Key"), (target) =>
    ask(target, message, "x".repeat(256)),
  ),
  {
    name: "POST /chat for a streamed answer: delta events, then done with messageCount 4",
    play: async (target) => {
      needed(target.found.answer);
      target.found.streamed = await stream(target);
    },
  },
  {
    name: "POST /chat for a streamed answer again with the same Idempotency-Key: the stored answer, streamed",
    play: async (target) => same(needed(target.found.streamed), await stream(target)),
  },
  {
    name: "GET /threads/{id} after all chats: messageCount 4, so no turn was stored twice",
    play: async (target) => {
      needed(target.found.streamed);
      later((await linkedThread(target)).expiresAt, await look(target, 4));
    },
  },
  {
    name: "GET /threads/{id}/messages after all chats: 200 with the four messages, the newest first",
    play: async (target) => {
      const { threadId } = await linkedThread(target);
      const answers = [needed(target.found.streamed).response, needed(target.found.answer).response];
      const expected = answers.flatMap((answer) => [
        { role: "assistant", content: answer },
        { role: "user", content: message },
      ]);
      const reply = await target.call((client, options) => client.listMessages(threadId, options));
      target.hold(reply, 200, messagePage(expected));
    },
  },
  {
    name: "DELETE /threads/{id}: 200",
    play: async (target) => deleteThread(target, (await linkedThread(target)).threadId),
  },
  exchange(
    "GET /threads/{id} of the deleted thread",
    404,
    plainError("Thread not found or expired"),
    async (target) => {
      const threadId = await deletedThreadId(target);
      return target.call((client, options) => client.getThread(threadId, options));
    },
  ),
  exchange("DELETE /threads/{id} of the deleted thread", 404, plainError("Thread not found"), async (target) => {
    const threadId = await deletedThreadId(target);
    return target.call((client, options) => client.deleteThread(threadId, options));
  }),
  exchange("POST /chat on the deleted thread", 404, genericError("Thread not found or expired"), async (target) => {
    const request = { message, threadId: await deletedThreadId(target) };
    return target.call((client, options) => client.chat(request, options));
  }),
];
