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
  /** Whom a person in danger is told to call; as they are to be read. */
  emergencyNumber: string;
  crisisLine: string;
  poisonControl: string;
  abuseLine: string;
  /** A file of other fixed texts than `shared/chat/safety/data/fixed-texts.json`, of the same form; "" for those. */
  safetyTexts: string;
  /** Whether there is a page to try the service by hand, on the stage dev. */
  playground: boolean;
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
    emergencyNumber: String(node.tryGetContext("emergencyNumber") ?? "911"),
    crisisLine: String(node.tryGetContext("crisisLine") ?? "988 (Suicide & Crisis Lifeline)"),
    poisonControl: String(node.tryGetContext("poisonControl") ?? "1-800-222-1222"),
    abuseLine: String(node.tryGetContext("abuseLine") ?? "1-800-799-7233 (National Domestic Violence Hotline)"),
    safetyTexts: String(node.tryGetContext("safetyTexts") ?? ""),
    playground: readPlayground(String(node.tryGetContext("playground") ?? false), stage),
  };
}

function readPlayground(value: string, stage: Settings["stage"]): boolean {
  if (value !== "true" && value !== "false") {
    throw new Error(`The context value playground is "${value}"; it must be true or false.`);
  }
  if (value === "true" && stage !== "dev") {
    throw new Error(`The context value playground is true; only the stage dev may have it, and this is ${stage}.`);
  }
  return value === "true";
}

function isStage(stage: string): stage is Settings["stage"] {
  return (STAGES as readonly string[]).includes(stage);
}
