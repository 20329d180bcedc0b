import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { checkBedrock } from "../../infra/bedrock-models.ts";
import { STAGE_SETTINGS } from "../../infra/settings-schema.ts";
import { STAGES } from "../../infra/stages.ts";
import { stageAssemblies } from "../helpers/template/stages.ts";
import { flat, type Properties, Template } from "../helpers/template/template.ts";

const template = new Template(join(await stageAssemblies(), "bedrock"));

/** The statements about Bedrock of each function's role. */
const rights = template
  .ofType("AWS::IAM::Policy")
  .map(([, { Properties }]): Properties[] => Properties.PolicyDocument.Statement)
  .map((statements) => statements.filter(({ Action }) => JSON.stringify(Action).includes("bedrock")))
  .filter((statements) => statements.length > 0);

test("the functions that ask a model may ask this one, through its profile, and do nothing else on Bedrock", () => {
  const actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];
  const profile = "arn:<AWS::Partition>:bedrock:<AWS::Region>:<AWS::AccountId>:inference-profile/us.openai.gpt-6-luna";
  const model = "arn:<AWS::Partition>:bedrock:*::foundation-model/openai.gpt-6-luna";
  expect(rights).toHaveLength(3); // chats, chats of OpenAI's clients, opening questions
  for (const [ofProject, ofProfile, ofModel, ...more] of rights) {
    expect(more).toEqual([]);
    expect(ofProject?.Action).toBe("bedrock:InvokeModel");
    expect(flat(ofProject?.Resource)).toBe(
      "arn:<AWS::Partition>:bedrock:<AWS::Region>:<AWS::AccountId>:project/default",
    );
    expect(ofProfile).toMatchObject({ Action: actions, Effect: "Allow" });
    expect(flat(ofProfile?.Resource)).toBe(profile);
    expect(ofModel?.Action).toEqual(actions);
    expect(flat(ofModel?.Resource)).toBe(model);
    expect(flat(ofModel?.Condition.StringEquals["bedrock:InferenceProfileArn"])).toBe(profile);
  }
});

test("a model on Bedrock has no secret; the fallback model of another provider has", () => {
  const secrets = template.ofType("AWS::SecretsManager::Secret").map(([id]) => id.replace(/[0-9A-F]{8}$/, ""));
  expect(secrets).toEqual(["SecretsApiKeys", "SecretsFallbackKey"]);
  const variables = template.all("AWS::Lambda::Function").map(({ Environment }) => Environment?.Variables ?? {});
  expect(variables.filter((names) => "MODEL_KEY_SECRET" in names)).toEqual([]);
  expect(variables.filter((names) => names.BEDROCK_ENDPOINT === "runtime")).toHaveLength(3);
});

const settings = (changes: object) =>
  STAGE_SETTINGS.parse({ ...(STAGES.dev as object), modelProvider: "bedrock", ...changes });

test.each([
  [{ model: "gpt-6.1-luna" }, 'model is "gpt-6.1-luna", which is no model ID of Amazon Bedrock'],
  [{ model: "us.openai.gpt-6-luna", modelEndpoint: "mantle" }, "which the endpoint mantle does not have"],
  [{ model: "global.openai.gpt-6-luna" }, "may be answered in any AWS region; set globalInference to true"],
  [{ model: "openai.gpt-6-luna" }, "set it to us.openai.gpt-6-luna, or use the endpoint mantle"],
  [{ model: "us.openai.gpt-6-luna", modelBaseUrl: "https://models.example.test" }, "leave out modelBaseUrl"],
])("%j is refused in one sentence", (changes, sentence) => {
  expect(() => checkBedrock(settings(changes))).toThrow(sentence);
});

test.each([
  { model: "openai.gpt-6-luna", modelEndpoint: "mantle", modelRegion: "us-east-1" },
  { model: "us.openai.gpt-6-luna" },
  { model: "openai.gpt-oss-120b-1:0" },
  { model: "global.openai.gpt-6-luna", globalInference: true },
])("%j is accepted", (changes) => {
  expect(() => checkBedrock(settings(changes))).not.toThrow();
});
