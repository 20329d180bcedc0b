import type { Node } from "constructs";
import { STAGES, type Stage, type StageName } from "./stages.ts";

/** A setting is wrong; the message is one sentence that says what it must be. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** What an operator may set at deployment, by `-c name=value` or in `cdk.json`, together with what the stage sets. */
export interface Settings extends Stage {
  stage: StageName;
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
  /** A file of other fixed texts than `shared/safety/data/fixed-texts.json`, of the same form; "" for those. */
  safetyTexts: string;
  /** Who is told of alarms: a mail address, or an https URL; "" for nobody. */
  alarmAddress: string;
  /** How many tokens to the model in an hour are an alarm. */
  tokensPerHour: number;
  /** Where the API is reached instead of at API Gateway's own address; undefined for that address. */
  domain: Domain | undefined;
  /** The web origin whose pages may call the API, or `*` for any; "" for none. */
  corsOrigin: string;
  /** Whether there is a page to try the service by hand, on the stage dev. */
  playground: boolean;
}

/** A domain name of the operator's own. */
export interface Domain {
  name: string;
  /** Of a certificate for the name, in the stack's region. */
  certificateArn: string;
  /** The path that the API stands under, without slashes at its ends. */
  basePath: string;
  /** The Route 53 zone to put the name into; "" when the operator has it elsewhere. */
  hostedZoneId: string;
}

/** Some 700 chats with 3,000 tokens each. What is much is for the operator to say, who pays for it. */
const TOKENS_PER_HOUR = 2_000_000;

/**
 * Reads the settings from the CDK context.
 *
 * @throws SettingError naming the setting that is wrong
 */
export function readSettings(node: Node): Settings {
  const stage = text(node, "stage", "dev");
  if (!isStage(stage)) {
    throw new SettingError(
      `The context value stage is "${stage}"; it must be one of ${Object.keys(STAGES).join(", ")}.`,
    );
  }
  const defaults: Stage = STAGES[stage];
  return {
    ...defaults,
    stage,
    model: text(node, "model", "gpt-5.4-mini"),
    modelBaseUrl: text(node, "modelBaseUrl"),
    fallbackModel: text(node, "fallbackModel"),
    fallbackModelBaseUrl: text(node, "fallbackModelBaseUrl"),
    emergencyNumber: text(node, "emergencyNumber", "911"),
    crisisLine: text(node, "crisisLine", "988 (Suicide & Crisis Lifeline)"),
    poisonControl: text(node, "poisonControl", "1-800-222-1222"),
    abuseLine: text(node, "abuseLine", "1-800-799-7233 (National Domestic Violence Hotline)"),
    safetyTexts: text(node, "safetyTexts"),
    alarmAddress: readAlarmAddress(node),
    tokensPerHour: whole(node, "tokensPerHour", 1) ?? TOKENS_PER_HOUR,
    domain: readDomain(node),
    chatConcurrency: whole(node, "chatConcurrency", 1) ?? defaults.chatConcurrency,
    // The firewall takes no limit below 10 ("Rate-based rule high-level settings").
    requestsPerAddress: whole(node, "requestsPerAddress", 10) ?? defaults.requestsPerAddress,
    corsOrigin: readCorsOrigin(node),
    playground: readPlayground(node, stage),
    shifting: flag(node, "atOnce") ? undefined : defaults.shifting,
  };
}

function readPlayground(node: Node, stage: StageName): boolean {
  const playground = flag(node, "playground");
  if (playground && stage !== "dev") {
    throw new SettingError(
      `The context value playground is true; only the stage dev may have it, and this is ${stage}.`,
    );
  }
  return playground;
}

function readCorsOrigin(node: Node): string {
  const origin = text(node, "corsOrigin");
  if (origin !== "" && origin !== "*" && !/^https?:\/\/[\w.-]+(:\d+)?$/.test(origin)) {
    throw new SettingError(
      "The context value corsOrigin must be * or an origin without a path, such as https://app.example.com.",
    );
  }
  return origin;
}

function readAlarmAddress(node: Node): string {
  const address = text(node, "alarmAddress");
  if (address !== "" && !/^(https:\/\/\S+|[^\s@:/]+@[^\s@:/]+)$/.test(address)) {
    throw new SettingError("The context value alarmAddress must be a mail address or an https URL.");
  }
  return address;
}

function readDomain(node: Node): Domain | undefined {
  const name = text(node, "domainName");
  const certificateArn = text(node, "certificateArn");
  const basePath = text(node, "basePath", "v1");
  if (!name) {
    return undefined;
  }
  if (!/^arn:[\w-]+:acm:/.test(certificateArn)) {
    throw new SettingError(
      "With the context value domainName, certificateArn must be the ARN of a certificate for that name.",
    );
  }
  if (!/^[\w-]+(\/[\w-]+)*$/.test(basePath)) {
    throw new SettingError(
      `The context value basePath is "${basePath}"; it must be a path without slashes at its ends.`,
    );
  }
  return { name, certificateArn, basePath, hostedZoneId: text(node, "hostedZoneId") };
}

function text(node: Node, name: string, fallback = ""): string {
  return String(node.tryGetContext(name) ?? fallback);
}

function whole(node: Node, name: string, least: number): number | undefined {
  const value = text(node, name);
  if (value !== "" && (!/^\d{1,9}$/.test(value) || Number(value) < least)) {
    throw new SettingError(`The context value ${name} is "${value}"; it must be a whole number, at least ${least}.`);
  }
  return value === "" ? undefined : Number(value);
}

function flag(node: Node, name: string): boolean {
  const value = text(node, name, "false");
  if (value !== "true" && value !== "false") {
    throw new SettingError(`The context value ${name} is "${value}"; it must be true or false.`);
  }
  return value === "true";
}

function isStage(stage: string): stage is StageName {
  return Object.hasOwn(STAGES, stage);
}
