import { Aws } from "aws-cdk-lib";
import type { BedrockPlace } from "../shared/model/model-features.ts";
import { SettingError } from "./setting-error.ts";
import type { StageSettings } from "./settings-schema.ts";

/** A model on Amazon Bedrock. */
export interface BedrockModel extends BedrockPlace {
  /** Of a foundation model, such as `openai.gpt-6-luna`, or of an inference profile, such as `us.openai.gpt-6-luna`. */
  id: string;
}

/** Divides a model's ID into the area of its inference profile, if it is one, and the ID of the foundation model. */
export function partsOf(id: string): { area: string | undefined; foundationModel: string | undefined } {
  const [, area, foundationModel] = MODEL_ID.exec(id) ?? [];
  return { area, foundationModel };
}

/** `<area>.<provider>.<model>` for an inference profile ("Supported Regions and models for inference profiles"). */
const MODEL_ID = /^(?:(us|eu|apac|au|ca|jp|us-gov|global)\.)?([a-z][a-z0-9]*\.[a-z0-9][\w.:-]*)$/;

/** The models that their cards say cannot be called by this ID on the endpoint runtime ("GPT-6 Luna", "GPT-6 Sol"). */
const ONLY_PROFILES = /^openai\.gpt-6-/;

/** Returns the primary model, or the fallback model, if it is on Bedrock. */
export function bedrockModels(settings: StageSettings): { model?: BedrockModel; fallbackModel?: BedrockModel } {
  const { model, modelProvider, fallbackModel, fallbackModelProvider } = settings;
  return {
    ...(modelProvider === "bedrock" && {
      model: { id: model, endpoint: settings.modelEndpoint, region: settings.modelRegion || Aws.REGION },
    }),
    ...(fallbackModel !== "" &&
      fallbackModelProvider === "bedrock" && {
        fallbackModel: {
          id: fallbackModel,
          endpoint: settings.fallbackModelEndpoint,
          region: settings.fallbackModelRegion || Aws.REGION,
        },
      }),
  };
}

/**
 * Checks the IDs of models on Bedrock.
 *
 * @throws SettingError naming the setting, in one sentence
 */
export function checkBedrock(settings: StageSettings): void {
  const { modelBaseUrl, fallbackModelBaseUrl, globalInference } = settings;
  const baseUrls: Record<string, string> = { model: modelBaseUrl, fallbackModel: fallbackModelBaseUrl };
  for (const [name, { id, endpoint }] of Object.entries(bedrockModels(settings))) {
    const { area, foundationModel } = partsOf(id);
    if (foundationModel === undefined) {
      throw new SettingError(
        `${name} is "${id}", which is no model ID of Amazon Bedrock; set it to one such as us.openai.gpt-6-luna.`,
      );
    }
    if (area !== undefined && endpoint === "mantle") {
      throw new SettingError(
        `${name} is "${id}", an inference profile, which the endpoint mantle does not have; leave out "${area}.", or use the endpoint runtime.`,
      );
    }
    if (area === undefined && endpoint === "runtime" && ONLY_PROFILES.test(id)) {
      throw new SettingError(
        `${name} is "${id}", which the endpoint runtime has only as an inference profile; set it to us.${id}, or use the endpoint mantle.`,
      );
    }
    if (area === "global" && !globalInference) {
      throw new SettingError(
        `${name} is "${id}", whose requests may be answered in any AWS region; set globalInference to true if conversations may leave the region, or use a profile of one area, such as us.${foundationModel}.`,
      );
    }
    if (baseUrls[name] !== "") {
      throw new SettingError(`${name} is on Bedrock, which has an address of its own; leave out ${name}BaseUrl.`);
    }
  }
}
