import { differences, exactly } from "../expected.ts";
import { linkedThread, patientId } from "../fixtures.ts";
import { NO_THREAD } from "../not-found.ts";
import { rulesOf } from "../rule.ts";
import type { KnownThread, Target } from "../target.ts";

const message = "When do you open?";

/** An answer, of which only the model's text is not known. */
const answer = (threadId?: string, messageCount?: number) => ({
  success: true,
  response: Boolean,
  threadId,
  messageCount,
});

interface StreamEvent {
  event: string;
  data: { text?: string; response?: string };
}

/** One or more events with texts, and at the end the answer, which consists of them. */
const streamed = (threadId: string, messageCount: number) => (events: StreamEvent[]) => {
  const done = events.at(-1);
  const texts = events.slice(0, -1);
  return (
    texts.length > 0 &&
    texts.every(({ event, data }) => event === "delta" && Object.keys(data).join() === "text") &&
    done?.event === "done" &&
    Object.keys(done.data).length === 4 &&
    differences(answer(threadId, messageCount), done.data).length === 0 &&
    texts.map(({ data }) => data.text).join("") === done.data.response
  );
};

/** The first chat on the thread. */
async function firstChat(target: Target): Promise<{ threadId: string; headers: Record<string, string> }> {
  const thread = await linkedThread(target);
  const { threadId, messages } = thread;
  const headers = target.idempotencyKey("chat");
  if (target.fixtures.answer === undefined) {
    const request = { body: { message, threadId }, headers, marked: true };
    const expected = answer(threadId, messages.length + 2);
    const { body, headers: received } = await target.expect("POST /chat", 200, expected, request);
    target.fixtures.answer = body;
    noteTurn(thread, body.response, received);
  }
  return { threadId, headers };
}

function noteTurn({ messages }: KnownThread, response: string, headers: Headers): void {
  const [, model = null] = /model="(.*)"/.exec(headers.get("ai-disclosure") ?? "") ?? [];
  messages.unshift({ role: "assistant", content: response, model }, { role: "user", content: message, model: null });
}

/** The rules for chats. Three of them call the model. */
export const chat = rulesOf("POST /chat", {
  "with an unknown threadId: 404": (target) => {
    const gone = exactly({ success: false, error: NO_THREAD });
    return target.expect("POST /chat", 404, gone, { body: { message, threadId: "00000" } });
  },
  "with a body of more than 256 KB: 413": (target) => {
    const body = { message, filling: "x".repeat(256 * 1024) };
    const tooLarge = exactly({ success: false, error: "Request body must not be larger than 256 KB" });
    return target.expect("POST /chat", 413, tooLarge, { body });
  },
  "with the patient's phone, history and patientData: 200 without threadId and messageCount": async (target) => {
    await patientId(target);
    const conversationHistory = [
      { role: "user", content: "Live check." },
      { role: "assistant", content: "Go on." },
    ];
    const body = { message, phone: target.patient.phone, patientData: { age: 41 }, conversationHistory };
    await target.expect("POST /chat", 200, answer(), { body, marked: true });
  },
  "on a thread: 200 with threadId and messageCount": firstChat,
  "again with the same Idempotency-Key: 200 with the stored answer": async (target) => {
    const { threadId, headers } = await firstChat(target);
    const request = { body: { message, threadId }, headers, replayed: true as const, marked: true };
    await target.expect("POST /chat", 200, exactly(target.fixtures.answer), request);
  },
  "with another message and the same Idempotency-Key: 422": async (target) => {
    const { threadId, headers } = await firstChat(target);
    const body = { message: "What are the opening hours?", threadId };
    const used = exactly({ success: false, error: "Idempotency-Key was used with another request" });
    await target.expect("POST /chat", 422, used, { body, headers });
  },
  "for a streamed answer: 200 with delta events, then done": async (target) => {
    const thread = await linkedThread(target);
    const { threadId, messages } = thread;
    const request = { body: { message, threadId }, headers: { accept: "text/event-stream" }, marked: true };
    const expected = streamed(threadId, messages.length + 2);
    const { body: events, headers } = await target.expect("POST /chat", 200, expected, request);
    noteTurn(thread, events.at(-1).data.response, headers);
  },
});
