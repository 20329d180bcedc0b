import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import type { ModelSettings } from "../../../shared/config.ts";
import { askModel } from "../../../shared/model/assistant.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let secrets: SecretsServer;
beforeAll(async () => {
  model = await startScriptedModel();
  secrets = await startModelEnvironment();
});
afterAll(() => {
  model.stop();
  secrets.stop();
});

test.each<[ModelSettings["promptCache"], object]>([
  ["off", {}],
  ["key", { prompt_cache_key: "a-thread" }],
  ["in-memory", { prompt_cache_key: "a-thread", prompt_cache_retention: "in_memory" }],
])("with the setting %s, a prompt is sent with no more than that about the cache", async (promptCache, sent) => {
  const settings: ModelSettings = {
    name: "scripted",
    baseUrl: model.baseUrl,
    provider: { kind: "openai", keySecret: KEY_SECRET },
    reasoningEffort: undefined,
    promptCache,
  };
  await askModel(settings, [{ role: "user", content: "hello" }], 5_000, { cache: { key: "a-thread", reusable: true } });
  const parameters = Object.entries(model.requests.at(-1)?.body ?? {}).filter(([name]) => name.includes("cache"));
  expect(Object.fromEntries(parameters)).toEqual(sent);
});
