import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { SecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { getAnswer } from "../../../shared/model/answer.ts";
import { newContext } from "../../helpers/caller.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let secrets: SecretsServer;
let client: SecretsManagerClient;
beforeAll(async () => {
  model = await startScriptedModel();
  secrets = await startModelEnvironment({ OPENAI_BASE_URL: model.baseUrl, SECRETS_CACHE_SECONDS: "60" });
  client = new SecretsManagerClient({});
});
afterAll(() => {
  client.destroy();
  model.stop();
  secrets.stop();
});

const realNow = Date.now;
let offset = 0;
beforeEach(async () => {
  jest.spyOn(Date, "now").mockImplementation(() => realNow() + offset);
  jest.spyOn(console, "error").mockReturnValue();
  await store("first");
  pass(3_600); // no test sees what an earlier one has read
  model.script = accept("first");
  expect(await ask()).toBe("answer to: hello");
  model.requests.length = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});

const pass = (seconds: number): void => {
  offset += seconds * 1_000;
};
const store = (key: string) => client.send(new PutSecretValueCommand({ SecretId: KEY_SECRET, SecretString: key }));
const keysSent = () => model.requests.map(({ headers }) => headers.authorization?.slice("Bearer ".length));
const accept =
  (key: string): ScriptedModel["script"] =>
  (request) =>
    keysSent().at(-1) === key ? echo(request) : { status: 401 };
const ask = (milliseconds = 4_000, onText?: (text: string) => void) =>
  getAnswer(newContext(), [{ role: "user", content: "hello" }], { milliseconds, onText });

test.each([999, 0, -5_000])(
  "with %d ms left, no model is called, and the failure is a timeout",
  async (milliseconds) => {
    const warnings = jest.spyOn(console, "warn").mockImplementation(() => {});
    await expect(ask(milliseconds)).rejects.toMatchObject({ name: "ModelError", kind: "timeout" });
    expect(model.requests).toEqual([]);
    expect(warnings.mock.calls).toMatchObject([
      [{ event: "model-failure", "error.type": "timeout", "gen_ai.request.model": "scripted" }],
    ]);
  },
);

test.each(["plain", "streamed"])(
  "a key that the provider rejects is read again, and a new one answers the same chat (%s)",
  async (form) => {
    await store("second");
    model.script = accept("second");
    pass(6);
    const heard: string[] = [];
    const onText = form === "streamed" ? (text: string) => heard.push(text) : undefined;
    expect(await ask(4_000, onText)).toBe("answer to: hello");
    expect(heard.join("")).toBe(onText ? "answer to: hello" : "");
    expect(keysSent()).toEqual(["first", "second"]);
  },
);

test("a rejected key that was not replaced is not tried again", async () => {
  model.script = accept("second");
  pass(6);
  await expect(ask()).rejects.toMatchObject({ kind: "authentication" });
  expect(keysSent()).toEqual(["first"]);
});

test("a key that works is read again after ten minutes", async () => {
  await store("second");
  model.script = echo;
  pass(590);
  await ask();
  pass(11);
  await ask();
  expect(keysSent()).toEqual(["first", "second"]);
});

test("a rejected key remains the failure's cause if Secrets Manager cannot be reached", async () => {
  model.script = accept("second");
  jest.spyOn(console, "warn").mockReturnValue();
  jest.spyOn(SecretsManagerClient.prototype, "send").mockImplementation(() => Promise.reject(new Error("unreachable")));
  pass(6);
  await expect(ask()).rejects.toMatchObject({ kind: "authentication" });
  expect(keysSent()).toEqual(["first"]);
});

describe("structured output", () => {
  const format = { name: "verdict", schema: { type: "object" }, maxTokens: 50 };
  const askFor = () =>
    getAnswer(newContext(), [{ role: "user", content: "hello" }], { milliseconds: 4_000, format, onText: undefined });
  const formats = () => model.requests.map(({ body }) => body.response_format !== undefined);
  const JSON_ONLY = '{"level": "none"}';
  const rejecting: ScriptedModel["script"] = ({ response_format }) =>
    response_format === undefined ? { content: JSON_ONLY } : { status: 400 };

  test("is asked for with its schema and length, and returned unchanged, without a level marker's removal", async () => {
    model.script = () => ({ content: JSON_ONLY });
    expect(await askFor()).toBe(JSON_ONLY);
    expect(model.requests[0]?.body).toMatchObject({
      max_completion_tokens: 50,
      response_format: { type: "json_schema", json_schema: { name: "verdict", strict: true, schema: format.schema } },
    });
  });

  test("is not given up because of a request that fails without it, too", async () => {
    jest.spyOn(console, "warn").mockReturnValue();
    model.script = () => ({ status: 400 });
    await expect(askFor()).rejects.toMatchObject({ kind: "rejected" });
    model.script = () => ({ content: JSON_ONLY });
    await askFor();
    expect(formats()).toEqual([true, false, true]);
  });

  test("is not asked for again from a provider that rejects it", async () => {
    model.script = rejecting;
    expect([await askFor(), await askFor()]).toEqual([JSON_ONLY, JSON_ONLY]);
    expect(formats()).toEqual([true, false, false]);
  });
});

test("a key that was never set is looked up again every minute", async () => {
  await store("");
  pass(601);
  await expect(ask()).rejects.toMatchObject({ name: "OperatorError" });
  await store("third");
  model.script = accept("third");
  await expect(ask()).rejects.toMatchObject({ name: "OperatorError" });
  pass(61);
  expect(await ask()).toBe("answer to: hello");
});
