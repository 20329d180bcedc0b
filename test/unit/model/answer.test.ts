import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { startSecretsServer } from "../../../local/secrets-server.ts";
import { CALLER } from "../../helpers/caller.ts";
import { type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let secrets: Awaited<ReturnType<typeof startSecretsServer>>;
let getAnswer: typeof import("../../../shared/model/answer.ts").getAnswer;
beforeAll(async () => {
  model = await startScriptedModel();
  secrets = await startSecretsServer({ "model-key": "a-key" });
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    SECRETS_CACHE_SECONDS: "600",
    OPENAI_MODEL: "scripted",
    OPENAI_BASE_URL: model.baseUrl,
    MODEL_KEY_SECRET: "model-key",
    MODEL_CONNECT_MILLISECONDS: "1000",
    MODEL_FIRST_TOKEN_MILLISECONDS: "5000",
    MODEL_TOTAL_MILLISECONDS: "5000",
    MODEL_CONTEXT_TOKENS: "32000",
  });
  ({ getAnswer } = await import("../../../shared/model/answer.ts"));
});
afterAll(() => {
  model.stop();
  secrets.stop();
});

beforeEach(() => {
  model.requests.length = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});

const ask = (milliseconds: number) => getAnswer([{ role: "user", content: "hello" }], { caller: CALLER, milliseconds });

test.each([999, 0, -5_000])(
  "with %d ms left, no model is called, and the failure is a timeout",
  async (milliseconds) => {
    const warnings = jest.spyOn(console, "warn").mockImplementation(() => {});
    await expect(ask(milliseconds)).rejects.toMatchObject({ name: "ModelError", kind: "timeout" });
    expect(model.requests).toEqual([]);
    expect(warnings.mock.calls).toMatchObject([[{ event: "model-failure", kind: "timeout", model: "scripted" }]]);
  },
);

test("with more than a second left, the model is called", async () => {
  expect(await ask(1_500)).toBe("answer to: hello");
  expect(model.requests).toHaveLength(1);
});
