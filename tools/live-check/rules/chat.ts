import {
  chatAnswer,
  exactly,
  genericError,
  genericFault,
  KEY_REUSED,
  type KnownThread,
  streamedAnswer,
  threadAnswer,
} from "../bodies.ts";
import { linkedThread, patientId } from "../fixtures.ts";
import { rulesOf } from "../rule.ts";
import type { Target } from "../target.ts";

const message = "Live check: please answer with one short sentence.";

/** The first chat on the thread. */
async function firstChat(target: Target): Promise<{ threadId: string; headers: Record<string, string> }> {
  const thread = await linkedThread(target);
  const { threadId, messages } = thread;
  const headers = target.idempotencyKey("chat");
  if (target.fixtures.answer === undefined) {
    const expected = threadAnswer(threadId, messages.length + 2);
    const request = { body: { message, threadId }, headers, marked: true };
    const { body, headers: received } = await target.expect("POST /chat", 200, expected, request);
    target.fixtures.answer = body;
    noteTurn(thread, body.response, received);
  }
  return { threadId, headers };
}

function noteTurn({ messages }: KnownThread, answer: string, headers: Headers): void {
  const [, model = null] = /model="(.*)"/.exec(headers.get("ai-disclosure") ?? "") ?? [];
  messages.unshift({ role: "assistant", content: answer, model }, { role: "user", content: message, model: null });
}

/** The rules for chats. Three of them call the model. */
export const chat = rulesOf("POST /chat", {
  "without a message: 400": (target) =>
    target.expect("POST /chat", 400, genericFault("message is required", "message"), { body: {} }),
  "with an unknown threadId: 404": (target) => {
    const gone = genericError("Thread not found or expired");
    return target.expect("POST /chat", 404, gone, { body: { message, threadId: "00000" } });
  },
  "with a body of more than 256 KB: 413": (target) => {
    const body = { message, filling: "x".repeat(256 * 1024) };
    return target.expect("POST /chat", 413, genericError("Request body must not be larger than 256 KB"), { body });
  },
  "with the patient's phone, history and patientData: 200 without threadId and messageCount": async (target) => {
    await patientId(target);
    const conversationHistory = [
      { role: "user", content: "Live check." },
      { role: "assistant", content: "Go on." },
    ];
    const body = { message, phone: target.patient.phone, patientData: { age: 41 }, conversationHistory };
    await target.expect("POST /chat", 200, chatAnswer, { body, marked: true });
  },
  "on a thread: 200 with threadId and messageCount": firstChat,
  "again with the same Idempotency-Key: 200 with the stored answer": async (target) => {
    const { threadId, headers } = await firstChat(target);
    const request = { body: { message, threadId }, headers, replayed: true as const, marked: true };
    await target.expect("POST /chat", 200, exactly(target.fixtures.answer), request);
  },
  "with another message and the same Idempotency-Key: 422": async (target) => {
    const { threadId, headers } = await firstChat(target);
    const body = { message: "Live check: another message.", threadId };
    await target.expect("POST /chat", 422, genericError(KEY_REUSED), { body, headers });
  },
  "for a streamed answer: 200 with delta events, then done": async (target) => {
    const thread = await linkedThread(target);
    const { threadId, messages } = thread;
    const expected = streamedAnswer(threadId, messages.length + 2);
    const body = { message, threadId };
    const request = { body, headers: { accept: "text/event-stream" }, marked: true };
    const { body: events, headers } = await target.expect("POST /chat", 200, expected, request);
    noteTurn(thread, events.at(-1).data.response, headers);
  },
});
