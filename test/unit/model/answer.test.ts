import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import type { SecretsServer } from "../../../local/secrets-server.ts";
import { newContext } from "../../helpers/caller.ts";
import { startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let secrets: SecretsServer;
let getAnswer: typeof import("../../../shared/model/answer.ts").getAnswer;
beforeAll(async () => {
  model = await startScriptedModel();
  secrets = await startModelEnvironment({ OPENAI_BASE_URL: model.baseUrl });
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

const ask = (milliseconds: number) => getAnswer(newContext(), [{ role: "user", content: "hello" }], { milliseconds });

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
