import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import type { SecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import type { ModelSettings } from "../../../shared/config.ts";
import { askModel } from "../../../shared/model/assistant.ts";
import { type Bedrock, CREDENTIALS, REGION, startBedrock } from "../../helpers/model/bedrock.ts";
import { startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let bedrock: Bedrock;
let secrets: SecretsServer;
let ask: (name?: string, place?: { region?: string; streamed?: boolean }) => Promise<string>;
const warnings = jest.spyOn(console, "warn").mockImplementation(() => {});

beforeAll(async () => {
  model = await startScriptedModel();
  bedrock = await startBedrock(model);
  secrets = await startModelEnvironment();
  ask = (name = "openai.gpt-6-luna", { region = REGION, streamed = false } = {}) => {
    const settings: ModelSettings = {
      name,
      provider: { kind: "bedrock", endpoint: "runtime", region },
      baseUrl: bedrock.baseUrl,
      reasoningEffort: "none",
      promptCache: "key",
    };
    const wishes = { cache: { key: "a-thread", reusable: true }, ...(streamed && { onText: () => {} }) };
    return askModel(settings, [{ role: "user", content: "hello" }], 5_000, wishes);
  };
});
beforeEach(() => {
  Object.assign(process.env, CREDENTIALS);
  Object.assign(bedrock, { accepted: [], refused: [], throttle: 0, unknownParameters: [] });
  Object.assign(model, { script: echo });
  warnings.mockClear();
});
afterAll(() => {
  model.stop();
  bedrock.stop();
  secrets.stop();
});

test.each([false, true])("a request is signed with the role's credentials (streamed: %s)", async (streamed) => {
  expect(await ask("openai.gpt-6-luna", { streamed })).toBe("answer to: hello");
  expect(bedrock.refused).toEqual([]);
  expect(bedrock.accepted).toHaveLength(1);
});

test("no secret is read", async () => {
  secrets.stop();
  expect(await ask("openai.another-model")).toBe("answer to: hello");
});

test.each([
  ["another region", {}, "us-east-1", "InvalidSignatureException"],
  ["another role", { AWS_SECRET_ACCESS_KEY: "of another role" }, REGION, "InvalidSignatureException"],
  ["an expired session", { AWS_SESSION_TOKEN: "expired" }, REGION, "ExpiredTokenException"],
])(
  "a request with %s is refused, and the next one with the right credentials succeeds",
  async (_, env, region, code) => {
    Object.assign(process.env, env);
    await expect(ask(undefined, { region })).rejects.toMatchObject({ kind: "authentication", requestID: "refused" });
    expect(bedrock.refused).toEqual([code]);

    Object.assign(process.env, CREDENTIALS);
    expect(await ask()).toBe("answer to: hello");
  },
);

test("without credentials, the request fails as one that was not authenticated, and nothing is sent", async () => {
  delete process.env.AWS_ACCESS_KEY_ID;
  await expect(ask()).rejects.toMatchObject({ kind: "authentication" });
  expect([...bedrock.accepted, ...bedrock.refused]).toEqual([]);
});

test("throttling is a rate limit, which is retried", async () => {
  bedrock.throttle = 1;
  await expect(ask()).rejects.toMatchObject({ kind: "rate-limit", retryable: true });
});

test("a parameter that the model does not know is left out from then on, and logged once by its name", async () => {
  bedrock.unknownParameters = ["prompt_cache_key", "store"];
  expect(await ask("openai.choosy")).toBe("answer to: hello");
  expect(await ask("openai.choosy")).toBe("answer to: hello");
  expect(bedrock.refused).toHaveLength(2);
  expect(JSON.parse(bedrock.accepted.at(-1)?.body ?? "")).toEqual({
    model: "openai.choosy",
    messages: [{ role: "user", content: "hello" }],
    max_completion_tokens: 4096,
    reasoning_effort: "none",
  });
  expect(warnings.mock.calls.map(([line]) => line)).toMatchObject([
    { event: "model-parameter-rejected", "gen_ai.request.model": "openai.choosy", parameter: "store" },
    { event: "model-parameter-rejected", "gen_ai.request.model": "openai.choosy", parameter: "prompt_cache" },
  ]);
});

test("a refusal that names no parameter is answered with a request that has only what is needed", async () => {
  const needed = ["model", "messages", "max_completion_tokens"];
  model.script = (request) =>
    Object.keys(request).every((name) => needed.includes(name)) ? { content: "plain" } : { status: 400 };
  expect(await ask("openai.strict")).toBe("plain");
  expect(bedrock.accepted).toHaveLength(2);
});

test("a model that fails behind Bedrock (424) is a failing server, and a prompt over its limit is too long", async () => {
  model.script = () => ({ status: 424 });
  await expect(ask()).rejects.toMatchObject({ kind: "server" });
  model.script = () => ({ status: 400, body: { error: { message: "Input is too long for requested model." } } });
  await expect(ask()).rejects.toMatchObject({ kind: "context-too-long" });
});
