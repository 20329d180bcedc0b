import type { Node } from "constructs";

const STAGES = ["dev", "staging", "prod"] as const;

/** What an operator may set at deployment, by `-c name=value` or in `cdk.json`. */
export interface Settings {
  stage: (typeof STAGES)[number];
  /** The model's name, as its provider calls it. */
  model: string;
  /** The base URL of another provider than OpenAI; "" for OpenAI. */
  modelBaseUrl: string;
  /** A model to ask when the first cannot answer; "" for none. */
  fallbackModel: string;
  fallbackModelBaseUrl: string;
}

/**
 * Reads the settings from the CDK context.
 *
 * @throws Error naming the setting that is wrong
 */
export function readSettings(node: Node): Settings {
  const stage = String(node.tryGetContext("stage") ?? "dev");
  if (!isStage(stage)) {
    throw new Error(`The context value stage is "${stage}"; it must be one of ${STAGES.join(", ")}.`);
  }
  return {
    stage,
    model: String(node.tryGetContext("model") ?? "gpt-5.4-mini"),
    modelBaseUrl: String(node.tryGetContext("modelBaseUrl") ?? ""),
    fallbackModel: String(node.tryGetContext("fallbackModel") ?? ""),
    fallbackModelBaseUrl: String(node.tryGetContext("fallbackModelBaseUrl") ?? ""),
  };
}

function isStage(stage: string): stage is Settings["stage"] {
  return (STAGES as readonly string[]).includes(stage);
}
