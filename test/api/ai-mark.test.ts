import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { CARDIAC, EMERGENCY_TEXT } from "../helpers/safety-messages.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { type Reply, setUpService } from "../helpers/service/service.ts";

let fallback: ScriptedModel;
beforeAll(async () => {
  fallback = await startScriptedModel();
  Object.assign(env, { FALLBACK_BASE_URL: fallback.baseUrl });
});
afterAll(() => fallback.stop());

const env = { OPENAI_MODEL: "first-model", FALLBACK_MODEL: 'the "second"', FALLBACK_API_KEY: "key-of-the-fallback" };
const service = setUpService(env);
let threadId: string;
beforeEach(async () => {
  fallback.script = () => ({ content: "from the second" });
  threadId = await service.newThread();
});

const FIRST = 'mode=machine-generated, model="first-model"';
const SECOND = 'mode=machine-generated, model="the \\"second\\""';
const BOTH = 'mode=machine-generated, model=("first-model" "the \\"second\\"")';

const markOf = ({ headers }: Pick<Reply, "headers">) => headers.get("ai-disclosure");
const fails = () => ({ status: 401 });
const messages = (query = "") => service.call("GET", `/threads/${threadId}/messages${query}`);

/** Streams an answer to its end, and returns its mark. */
async function streamedMark(message: string) {
  const { headers, rest } = await openStream(service, { message, threadId });
  await rest();
  return markOf({ headers });
}

describe("a response with text by a model", () => {
  test("says so and names the model, plain and streamed", async () => {
    expect(markOf(await service.chat({ message: "hello", threadId }))).toBe(FIRST);
    expect(await streamedMark("hello")).toBe(FIRST);
  });

  test("names the fallback model if that one has answered", async () => {
    service.model.script = fails;
    expect(markOf(await service.chat({ message: "hello", threadId }))).toBe(SECOND);
    expect(await streamedMark("hello")).toBe(SECOND);
  });

  test("says so again when it is repeated", async () => {
    const headers = { "idempotency-key": "key-1" };
    await service.chat({ message: "hello", threadId }, headers);
    service.model.script = fails;
    expect(markOf(await service.chat({ message: "hello", threadId }, headers))).toBe(FIRST);
  });

  test("may be an opening question", async () => {
    const { body } = await service.call("POST", "/patients", { body: { name: "Pat Example" } });
    const request = { body: { patientId: body.patient.id }, headers: { "idempotency-key": "key-2" } };
    const opened = await service.call("POST", "/threads", request);
    const repeated = await service.call("POST", "/threads", request);
    expect([opened, repeated].map(markOf)).toEqual([FIRST, FIRST]);
    threadId = opened.body.threadId;
    expect((await messages()).body.messages).toMatchObject([{ generatedBy: "ai", model: "first-model" }]);
  });

  test("names every model whose messages are read back or exported", async () => {
    const { id } = await service.newPatient();
    threadId = await service.newThread({ patientId: id });
    await service.chat({ message: "hello", threadId });
    service.model.script = fails;
    await service.chat({ message: "hello again", threadId });
    const read = await messages();
    expect(read.body.messages).toMatchObject([
      { role: "assistant", generatedBy: "ai", model: 'the "second"' },
      { role: "user", generatedBy: null, model: null },
      { role: "assistant", generatedBy: "ai", model: "first-model" },
      { role: "user", generatedBy: null, model: null },
    ]);
    expect(
      markOf(read)
        ?.split(/[() ]+/)
        .toSorted(),
    ).toEqual(BOTH.split(/[() ]+/).toSorted());
    expect(markOf(await messages("?limit=1"))).toBe(SECOND);
    const exported = await service.call("GET", `/patients/${id}/export`);
    expect(exported.body.threads[0].messages).toMatchObject(read.body.messages);
    expect(markOf(exported)).toBe(markOf(read));
  });
});

describe("a response without text by a model", () => {
  test("is not marked when it is a fixed text, nor when that is read back", async () => {
    service.model.script = fails;
    fallback.script = fails;
    const answer = await service.chat({ message: CARDIAC, threadId });
    expect(answer.body.response).toMatch(EMERGENCY_TEXT);
    expect(markOf(answer)).toBeNull();
    const read = await messages();
    expect(read.body.messages[0]).toMatchObject({ role: "assistant", generatedBy: "service", model: null });
    expect(markOf(read)).toBeNull();
  });

  test("is not marked when a person has taken over, not even if a stream begins with a fixed text", async () => {
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: {} });
    expect(await streamedMark(CARDIAC)).toBeNull();
    expect(await streamedMark("hello")).toBeNull();
  });

  test("is not marked when it is an error, a thread without a question, or an empty page", async () => {
    expect(markOf(await service.call("POST", "/threads", { body: {} }))).toBeNull();
    expect(markOf(await messages())).toBeNull();
    service.model.script = fails;
    fallback.script = fails;
    const failed = await service.chat({ message: "hello", threadId });
    expect(failed.status).toBe(500);
    expect(markOf(failed)).toBeNull();
  });
});

test("a stream that begins with a fixed text names the models that may answer; the stored message names the one that did", async () => {
  service.model.script = fails;
  expect(await streamedMark(CARDIAC)).toBe(BOTH);
  expect((await messages("?limit=1")).body.messages).toMatchObject([{ generatedBy: "ai", model: 'the "second"' }]);
});

describe("include: ids", () => {
  const include = ["ids"];

  test("returns the ids under which both messages are read, plain, repeated and streamed", async () => {
    const headers = { "idempotency-key": "key-3" };
    const plain = await service.chat({ message: "one", threadId, include }, headers);
    const repeated = await service.chat({ message: "one", threadId, include }, headers);
    const done = (await service.stream({ message: "two", threadId, include })).at(-1)?.data as { ids: object };
    expect(repeated.body).toEqual(plain.body);
    const ids = (await messages()).body.messages.map(({ id }: { id: string }) => id);
    expect([done.ids, plain.body.ids]).toEqual([
      { assistant: ids[0], user: ids[1] },
      { assistant: ids[2], user: ids[3] },
    ]);
  });

  test("returns none without a thread", async () => {
    expect((await service.chat({ message: "one", include })).body).not.toHaveProperty("ids");
  });
});
