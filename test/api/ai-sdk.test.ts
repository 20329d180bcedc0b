import { beforeEach, describe, expect, test } from "@jest/globals";
import { HealthChatTransport } from "../../packages/client/ai-sdk.js";
import { type Conversation, createChatHandler } from "../../packages/client/ai-sdk-server.js";
import { HealthAssistantClient } from "../../packages/client/client.js";
import { API_KEY, setUpService, startTestService } from "../helpers/service/service.ts";

const CARDIAC = "crushing chest pain and my left arm is numb, sweating";

const service = setUpService();

/** The conversation of the application's session. */
let conversation: Conversation;
beforeEach(async () => {
  conversation = { threadId: await service.newThread() };
});

/** A request to the application's own route. */
function send(
  init: RequestInit,
  options: { key?: string; retries?: number; baseUrl?: string; path?: string } = {},
): Promise<Response> {
  const { key = API_KEY, retries = 0, baseUrl = service.baseUrl, path = "/api/chat" } = options;
  const client = new HealthAssistantClient({ baseUrl, apiKey: key, retries });
  const handler = createChatHandler({ client, conversation: () => conversation });
  return handler(new Request(`http://app.example${path}`, init));
}

const post = (body: unknown, options?: { key?: string; baseUrl?: string }) =>
  send({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }, options);

const transport = new HealthChatTransport({ fetch: (address, init) => send(init ?? {}, { path: `${address}` }) });

const message = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] });

/** Sends a message as `useChat` does, and returns the chunks of the answer; consecutive pieces of text as one. */
async function answerTo(id: string, text: string, unfinished: ReturnType<typeof message>[] = []) {
  const messages = [message(id, text), ...unfinished];
  const stream = await transport.sendMessages({ chatId: conversation.threadId, messages });
  const chunks: Record<string, unknown>[] = [];
  for await (const chunk of stream) {
    const last = chunks.at(-1);
    if (chunk.type === "text-delta" && last?.type === "text-delta") {
      last.delta += chunk.delta;
    } else {
      chunks.push({ ...chunk });
    }
  }
  return chunks;
}

const words = (id: string, delta: string) => [
  { type: "text-start", id },
  { type: "text-delta", id, delta },
  { type: "text-end", id },
];
const FINISH = {
  type: "finish",
  finishReason: "stop",
  messageMetadata: { stored: true, messageId: expect.stringMatching(/./) },
};

/** The parts of a message that chunks make, as the AI SDK assembles them. */
const partsOf = (chunks: Record<string, unknown>[]) =>
  chunks.flatMap(({ type, delta, id, data }): { type: unknown; id?: unknown; text?: unknown; data?: unknown }[] =>
    type === "text-delta" ? [{ type: "text", text: delta }] : data === undefined ? [] : [{ type, id, data }],
  );

describe("an answer arrives as chunks of a UI message,", () => {
  test("the disclosure first, then the words", async () => {
    conversation.disclosure = "An AI answers.";
    expect(await answerTo("m1", "hello")).toEqual([
      { type: "start" },
      { type: "data-disclosure", id: "disclosure", data: { text: "An AI answers." } },
      ...words("text-0", "answer to: hello"),
      FINISH,
    ]);
  });

  test("with an alert before and cautions after the words, the first time, repeated, and to continue it", async () => {
    const { id } = await service.newPatient({ allergies: "penicillin", medications: [{ name: "warfarin" }] });
    conversation.threadId = await service.newThread({ patientId: id });
    service.model.script = () => ({ content: "[[level: none]]\nAmoxicillin and ibuprofen." });
    const first = await answerTo("m1", CARDIAC);
    const caution = (drug: string, kind: string, because: string) => ({
      type: "data-caution",
      id: `${kind}-${drug}-${because}`,
      data: { kind, drug, because, text: expect.stringMatching(new RegExp(`^Caution: .*${drug}`)) },
    });
    expect(first).toEqual([
      { type: "start" },
      {
        type: "data-alert",
        id: "emergency",
        data: { level: "emergency", category: "cardiac", text: expect.stringContaining("Call 911 now") },
      },
      ...words("text-1", "Amoxicillin and ibuprofen."),
      caution("amoxicillin", "allergy", "penicillin"),
      caution("ibuprofen", "interaction", "warfarin"),
      FINISH,
    ]);
    expect(await answerTo("m1", CARDIAC)).toEqual(first);
    expect(await answerTo("m1", CARDIAC, [{ ...message("m2", "I am"), role: "assistant" }])).toEqual(first);
    expect((await service.thread(conversation.threadId)).messageCount).toBe(2);
  });
});

describe("a loaded answer has the parts as which it was streamed,", () => {
  beforeEach(async () => {
    const { id } = await service.newPatient({ allergies: "penicillin", medications: [{ name: "warfarin" }] });
    conversation = { threadId: await service.newThread({ patientId: id }), disclosure: "An AI answers." };
  });

  test.each([
    ["an alert and cautions", CARDIAC, "Amoxicillin and ibuprofen.", "disclosure alert text caution caution"],
    ["a caution", "hello", "Amoxicillin.", "disclosure text caution"],
    ["neither", "hello", "First.\n\nSecond.", "disclosure text"],
  ])("with %s", async (_, text, content, kinds) => {
    service.model.script = () => ({ content });
    const streamed = partsOf(await answerTo("m1", text));
    const { messages } = await transport.load();
    expect(messages[0]?.parts).toEqual([{ type: "text", text }]);
    expect(messages[1]?.parts).toEqual(streamed);
    expect(streamed.map(({ type }) => String(type).replace("data-", "")).join(" ")).toBe(kinds);
  });
});

test("what the answer cites is a part below the words, streamed and loaded, and feedback is given under the answer's ID", async () => {
  const title = "Opening hours";
  const text = "On public holidays, the clinic is closed.";
  await service.call("PUT", "/sources/hours", { body: { title, text } });
  service.model.script = () => ({ content: `[[level: none]]\n${text} [1]` });
  const chunks = await answerTo("m1", "When are you open on public holidays?");
  const sources = {
    type: "data-sources",
    id: "sources",
    data: { citations: [expect.objectContaining({ title, quote: text })] },
  };
  expect(partsOf(chunks)).toEqual([{ type: "text", text: `${text} [1]` }, sources]);
  const { messages } = await transport.load();
  expect(messages[1]?.parts).toEqual(partsOf(chunks));
  const messageId = messages[1]?.metadata?.messageId ?? "";
  expect(chunks.at(-1)?.messageMetadata).toEqual({ stored: true, messageId });
  const client = new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: API_KEY });
  await client.giveFeedback(conversation.threadId, messageId, { rating: "good" });
  await service.call("DELETE", "/sources/hours");
});

test("an answer that could not be stored says so", async () => {
  const client = {
    async *streamChat() {
      yield { event: "done", response: { success: true, response: "Call 911 now." } };
    },
  } as unknown as HealthAssistantClient;
  const handler = createChatHandler({ client, conversation: () => conversation });
  const body = JSON.stringify({ id: conversation.threadId, messages: [message("m1", CARDIAC)] });
  const headers = { "content-type": "application/json" };
  const response = await handler(new Request("http://app.example/api/chat", { method: "POST", headers, body }));
  expect(await response.text()).toContain('"messageMetadata":{"stored":false}');
});

test("the stored messages are loaded, oldest first, and cannot be sent again", async () => {
  await service.chat({ threadId: conversation.threadId, message: "hello" });
  const { id, messages } = await transport.load();
  expect(id).toBe(conversation.threadId);
  expect(messages).toMatchObject([
    { role: "user", metadata: { stored: true }, parts: [{ type: "text", text: "hello" }] },
    {
      role: "assistant",
      metadata: { stored: true, generatedBy: "ai", messageId: expect.stringMatching(/./) },
      parts: [{ type: "text", text: "answer to: hello" }],
    },
  ]);
  await expect(answerTo(messages[0]?.id ?? "", "hello")).rejects.toMatchObject({ name: "ApiError", status: 400 });
  expect((await service.thread(id)).messageCount).toBe(2);
});

test("a person's messages are found once, with the name, and the notice is a part of its own", async () => {
  const { threadId } = conversation;
  await service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Bob" } });
  const notice = { type: "data-held", id: "held", data: { text: expect.stringMatching(/^Bob has taken over/) } };
  expect(partsOf(await answerTo("m1", "hello")).at(-1)).toEqual(notice);
  expect(await transport.personMessages([])).toEqual([]);
  for (const content of ["Hello, **Bob** here.", "Shall I call you?"]) {
    await service.call("POST", `/threads/${threadId}/messages`, { body: { author: "Bob", content } });
  }
  const [first, second, ...rest] = await transport.personMessages([]);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ role: "assistant", metadata: { author: "Bob", stored: true } });
  expect(first?.parts).toEqual([{ type: "text", text: "Hello, **Bob** here." }]);
  expect(await transport.personMessages([first as { id: string }])).toEqual([second]);
  const { messages } = await transport.load();
  expect(messages.map(({ parts }) => parts)).toContainEqual([notice]);
  expect(messages.slice(-2)).toEqual([first, second]);
});

test("text by an AI keeps its mark", async () => {
  const answered = await post({ id: conversation.threadId, messages: [message("m1", "hello")] });
  await answered.text(); // by then, it is stored
  const loaded = await send({ method: "GET" });
  for (const { headers } of [answered, loaded]) {
    expect(headers.get("ai-disclosure")).toContain("machine-generated");
  }
});

test("a consent that is missing is named, so that the page can ask for it", async () => {
  const strict = await startTestService({ CONSENT_REQUIRED: "2026-03" });
  try {
    const { id } = await strict.newPatient();
    conversation = { threadId: await strict.newThread({ patientId: id }) };
    const response = await post({ id: conversation.threadId, messages: [message("m1", "hello")] }, strict);
    expect([response.status, response.headers.get("x-error-code")]).toEqual([403, "consent-required"]);
  } finally {
    await strict.stop();
  }
});

describe("a request is refused", () => {
  const asked = () => service.model.requests.length;

  test.each<[string, unknown]>([
    ["without a message", { messages: [] }],
    ["without JSON", "hello"],
    ["with an answer as its last message", { messages: [{ ...message("m1", "hello"), role: "assistant" }] }],
    ["with an id that no header can carry", { messages: [message("m\n1", "hello")] }],
    ["without an id", { messages: [{ ...message("m1", "hello"), id: undefined }] }],
    ["with a file", { messages: [{ ...message("m1", "hello"), parts: [{ type: "file", url: "data:," }] }] }],
  ])("%s", async (_, body) => {
    const before = asked();
    const fields = typeof body === "object" ? { id: conversation.threadId, ...body } : body;
    expect((await post(fields)).status).toBe(400);
    expect(asked()).toBe(before);
  });

  test("of a type that pages of other sites can send", async () => {
    const body = JSON.stringify({ id: conversation.threadId, messages: [message("m1", "hello")] });
    expect((await send({ method: "POST", body })).status).toBe(415);
  });

  test("for another conversation than the session's, as if that had expired", async () => {
    const before = asked();
    const other = await service.newThread();
    const response = await post({ id: other, messages: [message("m1", "hello")] });
    expect([response.status, response.headers.get("x-error-code")]).toEqual([404, "thread-not-found"]);
    expect(asked()).toBe(before);
  });

  test("by the application itself", async () => {
    const handler = createChatHandler({
      client: new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: API_KEY }),
      conversation: () => new Response("Sign in", { status: 401 }),
    });
    expect(await (await handler(new Request("http://app.example/api/chat"))).text()).toBe("Sign in");
  });
});

describe("an error of the service reaches the browser", () => {
  const chat = () => ({ id: conversation.threadId, messages: [message("m1", "hello")] });

  test("with its code, when the thread has expired", async () => {
    await service.call("DELETE", `/threads/${conversation.threadId}`);
    const gone = { name: "ApiError", status: 404, code: "thread-not-found" };
    await expect(transport.load()).rejects.toMatchObject(gone);
    await expect(answerTo("m1", "hello")).rejects.toMatchObject(gone);
  });

  test("with its text and code, when it interrupts the answer", async () => {
    service.model.script = () => ({ content: "First words and more.", breakAfter: 2 });
    await expect(answerTo("m1", "hello")).rejects.toMatchObject({
      name: "ApiError",
      status: 200,
      message: "Failed to process chat request",
      code: expect.any(String),
    });
  });

  test.each([
    ["the key is refused", { key: "wrong" }],
    ["the service cannot be reached", { baseUrl: "http://127.0.0.1:1/v1" }],
  ])("without details, when %s", async (_, options) => {
    const response = await post(chat(), options);
    expect([response.status, await response.json()]).toEqual([502, { error: "The assistant is not available" }]);
  });
});
