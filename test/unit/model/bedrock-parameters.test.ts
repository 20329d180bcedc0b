import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { undocumentedOnBedrock } from "../../../shared/model/bedrock-parameters.ts";
import { OPTIONAL } from "../../../shared/model/parameters.ts";
import type { Account } from "../../../tools/account/account.ts";
import { MODEL_QUESTIONS, questionModel } from "../../../tools/account/model-questions.ts";
import { type Bedrock, CREDENTIALS, REGION, startBedrock } from "../../helpers/model/bedrock.ts";
import { type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let model: ScriptedModel;
let bedrock: Bedrock;
beforeAll(async () => {
  model = await startScriptedModel();
  bedrock = await startBedrock(model);
  Object.assign(process.env, CREDENTIALS);
});
beforeEach(() => {
  Object.assign(bedrock, { accepted: [], refused: [], unknownParameters: [] });
});
afterAll(() => {
  model.stop();
  bedrock.stop();
});

test("what the model card says is not asked, and everything is about a model without one", () => {
  expect(undocumentedOnBedrock("us.openai.gpt-6-luna", "runtime")).toEqual(["stream_options", "store"]);
  expect(undocumentedOnBedrock("openai.gpt-6-luna", "mantle")).toEqual(["response_format", "stream_options", "store"]);
  expect(undocumentedOnBedrock("us.openai.gpt-6-sol", "runtime")).toEqual(OPTIONAL);
});

test("a stage is asked one question for each of them, and none without a model on Bedrock", () => {
  const asked = (settings: object) =>
    MODEL_QUESTIONS.filter(({ concerns }) => concerns?.({ settings } as Account)).map(({ name }) => name);
  const stage = { modelProvider: "bedrock", model: "us.openai.gpt-6-luna", modelEndpoint: "runtime", modelRegion: "" };
  expect(asked(stage)).toEqual([
    "The model on Bedrock answers a request without any optional parameter",
    "The model on Bedrock accepts stream_options",
    "The model on Bedrock accepts store",
  ]);
  expect(asked({ ...stage, modelProvider: "openai" })).toEqual([]);
});

test.each(OPTIONAL)(
  "a question about %s has no other optional parameter, and the refusal names it",
  async (parameter) => {
    const place = { name: "us.openai.gpt-6-luna", endpoint: "runtime", region: REGION } as const;
    expect(await questionModel(place, parameter, bedrock.baseUrl)).toBeUndefined();
    const [{ body } = { body: "{}" }] = bedrock.accepted;
    const { model: _, messages: __, max_completion_tokens: ___, stream: ____, ...optional } = JSON.parse(body);
    const name = parameter === "prompt_cache" ? "prompt_cache_key" : parameter;
    expect(Object.keys(optional)).toEqual([name]);

    bedrock.unknownParameters = [name];
    expect(await questionModel(place, parameter, bedrock.baseUrl)).toBe(
      `us.openai.gpt-6-luna refuses it, and names ${name}`,
    );
    expect(await questionModel(place, undefined, bedrock.baseUrl)).toBeUndefined();
  },
);

test("a lack of permission says nothing about a parameter", async () => {
  const place = { name: "us.openai.gpt-6-luna", endpoint: "runtime", region: "us-east-1" } as const;
  await expect(questionModel(place, "store", bedrock.baseUrl)).rejects.toMatchObject({ status: 403 });
});
