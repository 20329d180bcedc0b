import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import OpenAI, { APIError } from "openai";
import { CORS_REQUEST_HEADERS } from "../../shared/http/cors-headers.ts";
import { collect } from "../helpers/collect.ts";
import { CARDIAC, EMERGENCY_TEXT, HELP } from "../helpers/safety-messages.ts";
import { addClients } from "../helpers/service/clients.ts";
import { API_KEY, setUpService, type TestService } from "../helpers/service/service.ts";

const service = setUpService();
const strict = setUpService({ OPENAI_SYSTEM_MESSAGES: "reject" });

/** The official client of OpenAI's API, without retries. */
const clientOf = ({ baseUrl }: TestService, apiKey = API_KEY) =>
  new OpenAI({ baseURL: `${baseUrl}/openai/v1`, apiKey, maxRetries: 0 });
const UNKNOWN = "00000000-0000-4000-8000-000000000000";
let client: OpenAI;
beforeAll(() => {
  client = clientOf(service);
});

type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;

const ask = (message: string, more: Partial<Request> = {}): Request => ({
  model: "health-assistant",
  messages: [{ role: "user", content: message }],
  ...more,
});
const complete = (message: string, more?: Partial<Request>) => client.chat.completions.create(ask(message, more));
const contentOf = ({ choices: [choice] }: OpenAI.ChatCompletion) => choice?.message.content;

/** The error with which a request fails. */
async function errorOf(request: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(request).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

test("another model than the assistant is unknown", async () => {
  const error = await errorOf(client.models.retrieve("gpt-6"));
  expect(error).toMatchObject({ status: 404, code: "model_not_found" });
  expect(error.message).toMatch(/the only one is health-assistant, for chat completions/);
});

test("the responses API, which clients use by default, ends with an error that names chat completions", async () => {
  const error = await errorOf(client.responses.create({ model: "health-assistant", input: "hello" }));
  expect(error).toMatchObject({ status: 404, type: "invalid_request_error", code: "chat_completions_only" });
  expect(error.message).toMatch(/POST \/openai\/v1\/chat\/completions.*client\.chat\.completions\.create/);
});

describe.each(["", "/"])("a base URL that ends in /v1%s", (ending) => {
  const wrong = () => new OpenAI({ baseURL: `${service.baseUrl}${ending}`, apiKey: "any", maxRetries: 0 });

  test.each<[what: string, call: (client: OpenAI) => PromiseLike<unknown>]>([
    ["a completion", (of) => of.chat.completions.create(ask("hello"))],
    ["a streamed completion", (of) => of.chat.completions.create({ ...ask("hello"), stream: true })],
    ["the list of models", (of) => of.models.list()],
    ["a response", (of) => of.responses.create({ model: "health-assistant", input: "hello" })],
  ])("gets an error from %s that names the right one", async (_, call) => {
    const error = await errorOf(call(wrong()));
    expect(error).toMatchObject({ status: 404, type: "invalid_request_error", code: "wrong_base_url" });
    expect(error.message).toMatch(/followed by \/openai\/v1, for example https:\/\/.*\/v1\/openai\/v1$/);
    expect(error.headers?.get("x-error-code")).toBe("wrong-base-url");
    expect(error.requestID).toMatch(/^[\w-]{36}$/);
  });
});

test("the guide's program for OpenAI's SDK prints an answer about a patient", async () => {
  const guide = readFileSync("web/docs/guides/openai.md", "utf8");
  const [, program = ""] = /^```js\n(import OpenAI .*?)^```$/ms.exec(guide) ?? [];
  const { id } = await service.newPatient({ conditions: ["asthma"] });
  const env = { ...process.env, NODE_OPTIONS: "", BASE_URL: service.baseUrl, API_KEY, PATIENT_ID: id };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
  expect(stdout).toMatch(/^answer to: Can I take ibuprofen\?\n\nCaution: the record lists asthma/);
});

describe("a completion", () => {
  test("is the answer to the last message, with the earlier ones as its context", async () => {
    const messages: Request["messages"] = [
      { role: "user", content: "Can I take paracetamol?" },
      { role: "assistant", content: [{ type: "text", text: "Most adults can." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "How" },
          { type: "text", text: "often?" },
        ],
      },
    ];
    const completion = await complete("", { messages });
    expect(contentOf(completion)).toBe("answer to: How\noften?");
    expect(completion.usage?.total_tokens).toBe(15);
    expect(Math.abs(completion.created - Date.now() / 1000)).toBeLessThan(60 * 60);
    expect(service.prompt().slice(1)).toEqual([
      { role: "user", content: "Can I take paracetamol?" },
      { role: "assistant", content: "Most adults can." },
      { role: "user", content: "How\noften?" },
    ]);
  });

  test("uses the record of the patient in metadata, or else in user, if that is a patient's ID", async () => {
    const { id } = await service.newPatient({ allergies: "penicillin" });
    for (const chosen of [{ metadata: { patient_id: id }, user: UNKNOWN }, { user: id }]) {
      await complete("hello", chosen);
      expect(service.recordSent()).toMatchObject({ allergies: "penicillin" });
    }
    await complete("hello", { user: "visitor-17" });
    expect(service.recordSent()).toBeUndefined();
  });

  test("has the last 100 of the earlier messages as its context", async () => {
    const messages = Array.from({ length: 102 }, (_, number) => ({
      role: "user" as const,
      content: `question ${number}`,
    }));
    await complete("", { messages });
    expect(service.prompt().at(-2)).toEqual({ role: "user", content: "question 100" });
  });

  test("in a thread is stored, and has the thread's own messages as its context", async () => {
    const threadId = await service.newThread();
    await complete("first", { metadata: { thread_id: threadId } });
    const messages: Request["messages"] = [
      { role: "user", content: "made up" },
      { role: "user", content: "second" },
    ];
    await complete("", { messages, metadata: { thread_id: threadId } });
    expect(service.prompt().slice(1)).toEqual([
      { role: "user", content: "first" },
      { role: "assistant", content: "answer to: first" },
      { role: "user", content: "second" },
    ]);
    expect((await service.thread(threadId)).messageCount).toBe(4);
  });

  test("is replayed for a repeated Idempotency-Key, without calling the model", async () => {
    const threadId = await service.newThread();
    const once = (earlier: Request["messages"]) => {
      const messages: Request["messages"] = [...earlier, { role: "user", content: "once" }];
      return client.chat.completions
        .create(ask("", { messages, metadata: { thread_id: threadId } }), {
          headers: { "idempotency-key": "sent-twice" },
        })
        .withResponse();
    };
    const first = await once([]);
    const asked = service.model.requests.length;
    const second = await once([{ role: "user", content: "ignored, because the thread has its own" }]);
    expect(second.response.headers.get("idempotent-replayed")).toBe("true");
    expect(second.data.choices).toEqual(first.data.choices);
    expect(second.data.usage?.total_tokens).toBe(0);
    expect(service.model.requests).toHaveLength(asked);
  });

  test("begins with the fixed text of an alert and ends with cautions, streamed too", async () => {
    const { id } = await service.newPatient({ allergies: "penicillin" });
    service.model.script = () => ({ content: "Take amoxicillin." });
    const request = ask(CARDIAC, { metadata: { patient_id: id } });
    const whole = contentOf(await client.chat.completions.create(request));
    expect(whole).toMatch(EMERGENCY_TEXT);
    expect(whole).toMatch(/Take amoxicillin\.\n\nCaution: the record lists an allergy to penicillin/);
    const stream = client.chat.completions.stream({ ...request, stream: true });
    expect(await stream.finalContent()).toBe(whole);
  });

  test("accepts what clients send by default, and what asks for nothing", async () => {
    const defaults = {
      temperature: 0.7,
      top_p: 1,
      max_tokens: 10,
      max_completion_tokens: 10,
      seed: 1,
      store: false,
      presence_penalty: 0,
      frequency_penalty: 0,
      reasoning_effort: "low",
      parallel_tool_calls: false,
      n: 1,
      stop: null,
      tools: [],
      tool_choice: "auto",
      logprobs: false,
      top_logprobs: 0,
      audio: null,
      response_format: { type: "text" },
      modalities: ["text"],
      stream: false,
      stream_options: null,
      user: null,
      metadata: { session: "a" },
    } as unknown as Partial<Request>;
    expect(contentOf(await complete("hello", defaults))).toBe("answer to: hello");
  });
});

describe("what is ignored is named", () => {
  const ignoredOf = async (more: object) => {
    const { response } = await client.chat.completions.create(ask("hello", more)).withResponse();
    return [response.headers.get("x-ignored"), response.headers.get("x-did-you-mean")];
  };

  test.each<[more: object, ignored: string | null, meant?: string]>([
    [{}, null],
    [{ n: 1, tools: [], stop: null, temperature: null }, null],
    [
      {
        temperature: 0.7,
        max_tokens: 10,
        seed: 1,
        top_p: 1,
        store: false,
        user: "visitor-17",
        metadata: { session: "a" },
      },
      "temperature, max_tokens, seed, top_p, store, metadata.session, user",
    ],
    [{ metadata: { threadId: "12345" } }, "metadata.threadId", "metadata.thread_id"],
    [{ metadata: { patientID: "12345" } }, "metadata.patientID", "metadata.patient_id"],
    [{ meta_data: { thread_id: "12345" } }, "meta_data", "metadata"],
    [{ top_k: 5, min_p: 0.1, repetition_penalty: 1.1 }, "top_k, min_p, repetition_penalty"],
    [{ "a\r\nset-cookie": 1, größe: 2 }, null],
  ])("%j", async (more, ignored, meant = null as never) => {
    expect(await ignoredOf(more)).toEqual([ignored, meant]);
    const stream = client.chat.completions.create({ ...ask("hello", more), stream: true });
    expect((await stream.withResponse()).response.headers.get("x-ignored")).toBe(ignored);
  });

  test("also a user that is not the patient of the metadata, and not one that is", async () => {
    const { id } = await service.newPatient();
    expect(await ignoredOf({ user: id })).toEqual([null, null]);
    expect(await ignoredOf({ user: id, metadata: { patient_id: id } })).toEqual([null, null]);
    expect(await ignoredOf({ user: UNKNOWN, metadata: { patient_id: id } })).toEqual(["user", null]);
  });

  test("beside system messages", async () => {
    const messages: Request["messages"] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello", name: "Ann" },
    ];
    expect(await ignoredOf({ messages, seed: 1 })).toEqual(["system-messages, messages.name, seed", null]);
  });
});

describe("an earlier message without content", () => {
  const call = { id: "call_1", type: "function" as const, function: { name: "f", arguments: "{}" } };

  test.each<[name: string, message: object]>([
    ["null", { role: "assistant", content: null, tool_calls: [call] }],
    ["nothing", { role: "assistant", tool_calls: [call] }],
  ])("is left out if it is an assistant's: %s", async (_, message) => {
    const messages = [{ role: "user", content: "one" }, message, { role: "user", content: "two" }];
    expect(contentOf(await complete("", { messages } as Partial<Request>))).toBe("answer to: two");
    expect(service.prompt().slice(1)).toEqual([
      { role: "user", content: "one" },
      { role: "user", content: "two" },
    ]);
  });

  test("is a 400 if it is the user's", async () => {
    const messages = [
      { role: "user", content: null },
      { role: "user", content: "two" },
    ];
    const error = await errorOf(complete("", { messages } as unknown as Partial<Request>));
    expect(error).toMatchObject({ status: 400, param: "messages.0.content" });
  });
});

describe("a path or method that does not exist", () => {
  test.each([
    ["POST", "/openai/v1/embeddings"],
    ["POST", "/openai/chat/completions"],
    ["GET", "/openai/v1/models/a/b"],
    ["GET", "/openai/v1"],
    ["DELETE", "/openai/v1/files/x"],
    ["PUT", "/openai/v1/chat/completions/x"],
  ])("is a 404 in OpenAI's shape: %s %s", async (method, path) => {
    const { status, body } = await service.call(method, path);
    expect([status, body]).toEqual([
      404,
      {
        error: {
          message: expect.stringContaining("base URL ends with /openai/v1"),
          type: "invalid_request_error",
          param: null,
          code: "route_not_found",
        },
      },
    ]);
  });

  test.each([
    ["GET", "/openai/v1/chat/completions", "POST"],
    ["DELETE", "/openai/v1/models", "GET, HEAD"],
    ["PATCH", "/openai/v1/models/x", "GET, HEAD"],
  ])("is a 405 in OpenAI's shape: %s %s", async (method, path, allow) => {
    const { status, body, headers } = await service.call(method, path);
    expect([status, headers.get("allow")]).toEqual([405, allow]);
    expect(body).toEqual({
      error: expect.objectContaining({ message: "Method not allowed", code: "method_not_allowed" }),
    });
  });

  test("is a 401 without a key", async () => {
    const { status, body } = await service.call("POST", "/openai/v1/embeddings", { key: null });
    expect([status, body.error.code]).toEqual([401, "invalid_api_key"]);
  });
});

test("a browser may send every header that OpenAI's client sends there", async () => {
  const sent = new Set<string>();
  const browser = new OpenAI({
    baseURL: `${service.baseUrl}/openai/v1`,
    apiKey: API_KEY,
    organization: "an-organization",
    project: "a-project",
    dangerouslyAllowBrowser: true,
    fetch: async (url, init) => {
      for (const name of new Headers(init?.headers).keys()) {
        sent.add(name);
      }
      return await fetch(url, init);
    },
  });
  await browser.models.list();
  await browser.chat.completions.create(ask("hello"), { idempotencyKey: "once", timeout: 10_000 });
  await browser.chat.completions.stream({ ...ask("hello"), stream: true }).finalContent();
  expect(sent).toContain("x-stainless-helper-method");
  expect([...sent].filter((name) => !CORS_REQUEST_HEADERS.includes(name))).toEqual([]);
});

describe("a streamed completion", () => {
  /** The lines that the service sends. */
  async function linesOf(body: object): Promise<string[]> {
    const response = await fetch(`${service.baseUrl}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ ...ask("count"), stream: true, ...body }),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    return (await response.text()).split("\n\n");
  }

  test("has, on request, the usage in a chunk of its own at the end, and null in the others", async () => {
    const lines = await linesOf({ stream_options: { include_usage: true } });
    expect(lines.slice(-2)).toEqual(["data: [DONE]", ""]);
    const chunks = lines.slice(0, -2).map((line) => JSON.parse(line.replace(/^data: /, "")));
    const [{ choices: _, ...same }] = chunks;
    expect(chunks.pop()).toEqual({ ...same, choices: [], usage: expect.objectContaining({ total_tokens: 15 }) });
    expect(chunks).toEqual(chunks.map(() => expect.objectContaining({ ...same, usage: null })));
  });

  test.each([{}, { stream_options: null }, { stream_options: { include_usage: false } }])(
    "has no usage unless it is requested: %j",
    async (options) => {
      expect((await linesOf(options)).join("")).not.toContain("usage");
    },
  );

  test("arrives while the model is still answering", async () => {
    const { promise: spoken, resolve: speak } = Promise.withResolvers<void>();
    service.model.script = () => ({ content: "one two", beforeWord: async (index) => index > 0 && (await spoken) });
    const stream = await client.chat.completions.create({ ...ask("count"), stream: true });
    const pieces: (string | null | undefined)[] = [];
    for await (const { choices } of stream) {
      pieces.push(choices[0]?.delta.content);
      if (pieces.length === 2) {
        expect(pieces[1]).toMatch(/^one/);
        speak();
      }
    }
    expect(pieces.join("")).toBe("one two");
  });

  test("that fails in the middle ends with an error in OpenAI's shape", async () => {
    service.model.script = () => ({ content: "one two three", breakAfter: 1 });
    const stream = await client.chat.completions.create({ ...ask("hello"), stream: true });
    expect(await errorOf(collect(stream))).toMatchObject({
      error: {
        message: `Failed to process chat request. ${HELP.text}`,
        type: "server_error",
        param: null,
        code: "internal_error",
        help: HELP,
      },
    });
  });
});

const IMAGE = [{ type: "image_url", image_url: { url: "data:," } }];

/** The rejected parameters, with what the message says. */
const REJECTED: [param: string, more: object, message: RegExp][] = [
  ["tools", { tools: [{ type: "function", function: { name: "f" } }] }, /is not supported/],
  ["tool_choice", { tool_choice: "required" }, /is not supported/],
  ["functions", { functions: [{ name: "f" }] }, /is not supported/],
  ["function_call", { function_call: { name: "f" } }, /is not supported/],
  ["n", { n: 2 }, /must be 1/],
  ["stop", { stop: ["."] }, /is not supported/],
  ["logprobs", { logprobs: true }, /is not supported/],
  ["top_logprobs", { top_logprobs: 2 }, /is not supported/],
  ["response_format.type", { response_format: { type: "json_object" } }, /other formats are not supported/],
  ["modalities.1", { modalities: ["text", "audio"] }, /must be text/],
  ["audio", { audio: { voice: "a", format: "mp3" } }, /is not supported/],
  ["prediction", { prediction: { type: "content", content: "a" } }, /is not supported/],
  ["web_search_options", { web_search_options: {} }, /is not supported/],
  ["messages.0.content", { messages: [{ role: "user", content: IMAGE }] }, /images, audio and files are not supported/],
  ["messages.0.role", { messages: [{ role: "tool", content: "a", tool_call_id: "b" }] }, /must be "system" or/],
  ["messages", { messages: [] }, /the last message must be the user's/],
  ["messages", { messages: [{ role: "assistant", content: "a" }] }, /the last message must be the user's/],
  ["messages", { messages: [{ role: "user", content: " \n" }] }, /the last message must be the user's/],
  ["messages.0.content", { messages: [{ role: "user", content: "x".repeat(16_001) }] }, /at most 16000 characters/],
  [
    "messages.0.content",
    { messages: [{ role: "assistant", content: "x".repeat(32_001) }] },
    /at most 32000 characters/,
  ],
  ["messages", { messages: undefined }, /is required/],
  ["stream", { stream: "yes" }, /must be a boolean/],
];

describe("a request is rejected", () => {
  test.each(REJECTED)("with a 400 that names the parameter %s", async (param, more, message) => {
    const error = await errorOf(complete("hello", more as Partial<Request>));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param, code: "invalid" });
    expect(error.message).toMatch(message);
  });

  test.each<[code: string, status: number, param: string | null, more: object]>([
    ["model_not_found", 404, "model", { model: "gpt-6" }],
    ["patient_not_found", 404, null, { metadata: { patient_id: UNKNOWN } }],
    ["patient_not_found", 404, null, { user: UNKNOWN }],
    ["thread_not_found", 404, null, { metadata: { thread_id: "00000" } }],
    ["too_large", 413, null, { metadata: { padding: "x".repeat(300_000) } }],
  ])("with the code %s and status %d", async (code, status, param, more) => {
    const error = await errorOf(complete("hello", more));
    expect(error).toMatchObject({ status, type: "invalid_request_error", param, code });
  });

  test("if it names another patient than the thread's", async () => {
    const [one, other] = [await service.newPatient(), await service.newPatient()];
    const threadId = await service.newThread({ patientId: one.id });
    const error = await errorOf(complete("hello", { metadata: { thread_id: threadId, patient_id: other.id } }));
    expect(error).toMatchObject({ status: 400, param: "metadata.patient_id" });
    expect(error.message).toMatch(/metadata\.patient_id names another patient/);
  });

  test("in the same way before the first chunk of a stream", async () => {
    const error = await errorOf(client.chat.completions.create({ ...ask("hello"), n: 2, stream: true }));
    expect(error).toMatchObject({ status: 400, param: "n" });
  });

  test("without a valid key, which X-API-Key can contain too", async () => {
    const stranger = clientOf(service, "no-such-key");
    for (const request of [stranger.models.list(), stranger.chat.completions.create(ask("hello"))]) {
      const error = await errorOf(request);
      expect(error).toMatchObject({ status: 401, type: "invalid_request_error", code: "invalid_api_key" });
    }
    const { status } = await service.call("GET", "/openai/v1/models");
    expect(status).toBe(200);
    const headers = { authorization: `Basic ${API_KEY}` };
    expect((await service.call("GET", "/openai/v1/models", { key: null, headers })).status).toBe(401);
  });

  test("over a quota, unless the message signals danger", async () => {
    await addClients(service, {
      minute: { keys: ["key-of-minute"], quotas: { requestsPerMinute: 1 } },
      tokens: { keys: ["key-of-tokens"], quotas: { tokensPerDay: 10 } },
    });
    const [minute, tokens] = [clientOf(service, "key-of-minute"), clientOf(service, "key-of-tokens")];
    const replies = await Promise.all(
      [0, 1, 2].map(() => Promise.resolve(minute.models.list()).catch((error) => error)),
    );
    expect(replies).toContainEqual(expect.objectContaining({ status: 429, code: "rate_limit_exceeded" }));
    await tokens.chat.completions.create(ask("hello"));
    const error = await errorOf(tokens.chat.completions.create(ask("hello")));
    expect(error).toMatchObject({ status: 429, type: "insufficient_quota", code: "insufficient_quota" });
    expect(contentOf(await tokens.chat.completions.create(ask(CARDIAC)))).toMatch(EMERGENCY_TEXT);
  });

  test("if the model fails", async () => {
    service.model.script = () => ({ status: 401 });
    const error = await errorOf(complete("hello"));
    expect(error).toMatchObject({ status: 500, type: "server_error", code: "internal_error" });
  });
});

describe("system messages", () => {
  const messages: Request["messages"] = [
    { role: "system", content: "You are a pirate." },
    { role: "user", content: "hello" },
    { role: "developer", content: "Talk like one." },
    { role: "user", content: "again" },
  ];

  test("are ignored, and a header and the log say so", async () => {
    for (const stream of [false, true]) {
      const headers = { "x-request-id": `system-${stream}` };
      const request = client.chat.completions.create({ ...ask("", { messages }), stream }, { headers });
      expect((await request.withResponse()).response.headers.get("x-ignored")).toBe("system-messages");
      expect(service.prompt().slice(1)).toEqual([
        { role: "user", content: "hello" },
        { role: "user", content: "again" },
      ]);
      expect((await service.linesOf(`system-${stream}`)).at(-1)).toMatchObject({ ignoredSystemMessages: true });
    }
    expect((await complete("hello").withResponse()).response.headers.has("x-ignored")).toBe(false);
    const withoutQuestion = client.chat.completions.create(ask("", { messages: messages.slice(0, 3) }));
    await expect(withoutQuestion).rejects.toThrow("the last message must be the user's");
  });

  test("are rejected where the deployment is set to reject them, with an error that names the setting", async () => {
    const error = await errorOf(clientOf(strict).chat.completions.create(ask("", { messages })));
    expect(error).toMatchObject({ status: 400, param: "messages.0.role" });
    expect(error.message).toMatch(/setting openaiSystemMessages/);
  });
});
