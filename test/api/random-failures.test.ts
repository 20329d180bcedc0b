import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { completion, echo, type ModelReply } from "../helpers/model/scripted-model.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const SEED = 20_260_301;
const REQUESTS = 200;
const THREADS = 5;
const AT_ONCE = 6;

const service = setUpService({ MODEL_TOTAL_MILLISECONDS: "1500", MODEL_FIRST_TOKEN_MILLISECONDS: "200" });

const soon = { "retry-after": "0" };
const error = (status: number, code?: string): ModelReply => ({
  status,
  headers: soon,
  body: { error: { message: "no", code } },
});
const broken = fc.constantFrom<ModelReply>(
  error(401),
  error(402),
  error(403),
  error(404),
  error(408),
  error(413),
  error(429),
  error(429, "insufficient_quota"),
  error(400, "context_length_exceeded"),
  error(400, "content_filter"),
  error(500),
  error(503),
  { status: 429, headers: { "retry-after": "3600" } },
  { status: 200, body: null },
  { status: 200, body: { ...completion("text"), choices: [] } },
  { raw: "<html>Bad gateway</html>" },
  { raw: "data: {\n\n" },
  { drop: true },
  { content: "" },
  { content: " \n " },
  { content: "", refusal: "I will not." },
  { content: "half an", refusal: "I will not." },
  { content: "half an", finishReason: "length" },
  { content: "half an", finishReason: "content_filter" },
  { content: "half an answer", breakAfter: 0 },
  { content: "half an answer", breakAfter: 2 },
);
/** Streams can also fail after the first word. */
const hanging = fc.constantFrom<ModelReply>(
  { hang: true },
  { content: "one two", beforeWord: (index) => (index > 0 ? new Promise(() => {}) : Promise.resolve()) },
);
/** An answer that repeats the question, so that turns can be told apart. */
const good = fc.constant("good" as const);
const reply = fc.oneof(
  { weight: 12, arbitrary: good },
  { weight: 12, arbitrary: broken },
  { weight: 1, arbitrary: hanging },
);

/** The requests and how the model answers each: the same in every run. */
const plan = fc.sample(
  fc.record({
    thread: fc.nat(THREADS - 1),
    streamed: fc.boolean(),
    replies: fc.array(reply, { minLength: 2, maxLength: 2 }),
  }),
  { seed: SEED, numRuns: REQUESTS },
);

/** The result of a request: the status, and the body of the response or of the stream's last event. */
interface End {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test checks its form
  body: any;
  /** The deltas of a stream, concatenated. */
  spoken?: string;
}

async function send(message: string, threadId: string, streamed: boolean): Promise<End> {
  const response = await fetch(`${service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, ...(streamed && { accept: "text/event-stream" }) },
    body: JSON.stringify({ message, threadId }),
  });
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status: response.status, body: JSON.parse(text) };
  }
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
    event,
    data: JSON.parse(data ?? ""),
  }));
  const spoken = events.filter(({ event }) => event === "delta").map(({ data }) => data.text);
  return { status: response.status, body: events.at(-1)?.data, spoken: spoken.join("") };
}

const FAILURE = { success: false, error: "Failed to process chat request" };

describe(`${REQUESTS} requests to a model that fails in random ways`, () => {
  test("each end in a documented response, and each thread has exactly the acknowledged turns", async () => {
    const opened = await Promise.all(
      Array.from({ length: THREADS }, () => service.call("POST", "/threads", { body: {} })),
    );
    const threadIds = opened.map(({ body }) => body.threadId as string);
    const left = plan.map(({ replies }) => [...replies]);
    service.model.script = (request) => {
      const number = Number(/\d+/.exec(request.messages.at(-1)?.content ?? "")?.[0]);
      const next = left[number]?.shift();
      if (next === undefined || next === "good") {
        return echo(request);
      }
      return "beforeWord" in next && !request.stream ? { hang: true } : next;
    };

    const ends: End[] = [];
    const queue = plan.entries();
    const worker = async () => {
      for (const [number, { thread, streamed }] of queue) {
        ends[number] = await send(`visit ${number}: when do you open?`, threadIds[thread] ?? "", streamed);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    const turns: { thread: number; number: number; messageCount: number }[] = [];
    for (const [number, { thread }] of plan.entries()) {
      const { status, body, spoken } = ends[number] as End;
      if (body.success) {
        const response = `answer to: visit ${number}: when do you open?`;
        const messageCount = expect.any(Number);
        expect(status).toBe(200);
        expect(body).toEqual({ success: true, response, threadId: threadIds[thread], messageCount });
        expect(spoken ?? response).toBe(response);
        turns.push({ thread, number, messageCount: body.messageCount });
      } else {
        expect(body).toEqual(FAILURE);
        expect(status).toBe(spoken === undefined ? 500 : 200);
      }
    }
    expect(turns.length).toBeGreaterThan(REQUESTS / 4);
    expect(turns.length).toBeLessThan(REQUESTS);

    for (const [thread, threadId] of threadIds.entries()) {
      const acknowledged = turns
        .filter((turn) => turn.thread === thread)
        .sort((a, b) => a.messageCount - b.messageCount);
      expect(acknowledged.map(({ messageCount }) => messageCount)).toEqual(
        acknowledged.map((_, index) => 2 * index + 2),
      );
      const { messageCount } = await service.thread(threadId);
      expect(messageCount).toBe(2 * acknowledged.length);

      await service.chat({ message: "one more", threadId });
      const context = service.prompt().slice(1, -1);
      expect(context).toEqual(
        acknowledged.slice(-10).flatMap(({ number }) => [
          { role: "user", content: `visit ${number}: when do you open?` },
          { role: "assistant", content: `answer to: visit ${number}: when do you open?` },
        ]),
      );
    }
  });
});
