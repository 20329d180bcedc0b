import type * as z from "zod";
import { closestName } from "../shared/closest-name.ts";
import { SettingError } from "./setting-error.ts";
import { DEPLOYMENT_SETTINGS, type DeploymentSettings, STAGE_SETTINGS, type StageSettings } from "./settings-schema.ts";
import { STAGES } from "./stages.ts";

/** What the stage's file and `-c` say, and what follows from it. */
export interface Settings extends StageSettings, DeploymentSettings {
  stage: string;
  /** Whether a firewall stands before the API. */
  firewall: boolean;
  /** Whether everything that can go wrong has its own metric, alarm and graph, or only what matters most has. */
  monitoring: "full" | "essential";
  /** Where the API is reached instead of at API Gateway's own address; undefined for that address. */
  domain: Domain | undefined;
  /** How a function's new version gets its traffic; undefined for all at once. */
  shifting: { percentage: number; minutes: number } | undefined;
  /** Settings that were given by `-c` instead of in the stage's file. */
  overrides: Record<string, string>;
}

/** A domain name of the operator's own. */
export interface Domain {
  name: string;
  certificateArn: string;
  basePath: string;
  hostedZoneId: string;
}

const PROFILES: Record<StageSettings["profile"], Pick<Settings, "firewall" | "monitoring">> = {
  standard: { firewall: true, monitoring: "full" },
  small: { firewall: false, monitoring: "essential" },
};

/** A new version's share of the traffic at first, in percent. */
const CANARY_PERCENTAGE = 10;

const NAMES = ["stage", ...Object.keys(STAGE_SETTINGS.shape), ...Object.keys(DEPLOYMENT_SETTINGS.shape)];

/**
 * Reads the settings of the stage that the CDK context names: those of its file, or, where the context has others, these.
 *
 * @param context what `-c` and `cdk.json` give, the CDK's own names (with `@` or `:`) among it
 * @param stages the contents of the stages' files
 * @throws SettingError naming the setting that is wrong, or that does not exist
 */
export function readSettings(context: Record<string, unknown>, stages = STAGES): Settings {
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => !/[@:]/.test(name)));
  const { stage = "dev", ...overrides } = given;
  if (typeof stage !== "string" || !Object.hasOwn(stages, stage)) {
    throw new SettingError(
      `The context value stage is "${stage}"; it must be one of ${Object.keys(stages).join(", ")}.`,
    );
  }
  const file = `infra/stages/${stage}.json`;
  const inFile = stages[stage] as Record<string, unknown>;
  rejectUnknown(Object.keys(overrides), NAMES, "The context has");
  rejectUnknown(Object.keys(inFile), Object.keys(STAGE_SETTINGS.shape), `${file} has`);
  const inContext = (name: string) => name in overrides;
  const { atOnce, creating, commit, ...ofStage } = overrides;
  const settings = {
    ...parse(STAGE_SETTINGS, { ...inFile, ...ofStage }, (name) =>
      inContext(name) ? `The context value ${name}` : `${name} in ${file}`,
    ),
    ...parse(DEPLOYMENT_SETTINGS, dropUndefined({ atOnce, creating, commit }), (name) => `The context value ${name}`),
  };
  check(stage, file, settings);
  const { firewall, monitoring } = PROFILES[settings.profile];
  if (settings.requestsInFiveMinutes > 0 && (!firewall || settings.requestsInFiveMinutes < 10)) {
    throw new SettingError(
      "With requestsInFiveMinutes, which the firewall counts, profile must be standard; at least 10.",
    );
  }
  return {
    ...settings,
    stage,
    firewall,
    monitoring,
    domain: readDomain(settings),
    shifting:
      settings.atOnce || settings.canaryMinutes === 0
        ? undefined
        : { percentage: CANARY_PERCENTAGE, minutes: settings.canaryMinutes },
    deletionProtection: settings.deletionProtection && !settings.creating,
    overrides: Object.fromEntries(Object.entries(overrides).map(([name, value]) => [name, String(value)])),
  };
}

function rejectUnknown(names: string[], known: string[], where: string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new SettingError(
      `${where} a setting ${unknown}, which does not exist; did you mean ${closestName(unknown, known)}?`,
    );
  }
}

function parse<T extends z.ZodObject>(
  schema: T,
  values: Record<string, unknown>,
  called: (name: string) => string,
): z.output<T> {
  const result = schema.safeParse(values);
  const [issue] = result.error?.issues ?? [];
  if (issue) {
    const name = String(issue.path[0]);
    const { mustBe } = (schema.shape[name] as z.ZodType).meta() ?? unwrapped(schema.shape[name] as Wrapped);
    const value = values[name];
    throw new SettingError(
      value === undefined
        ? `${called(name)} is missing; it must be ${mustBe}.`
        : `${called(name)} is ${typeof value === "object" ? JSON.stringify(value) : `"${value}"`}; it must be ${mustBe}.`,
    );
  }
  return result.data as z.output<T>;
}

type Wrapped = z.ZodDefault | z.ZodOptional;

/** What is said of a setting that has a default, or is optional. */
function unwrapped(schema: Wrapped): Record<string, unknown> {
  return (schema.unwrap() as z.ZodType).meta() ?? {};
}

/** What one setting says must fit the others. */
function check(stage: string, file: string, { playground, alarmAddress }: StageSettings): void {
  if (playground && stage !== "dev") {
    throw new SettingError(
      `The context value playground is true; only the stage dev may have it, and this is ${stage}.`,
    );
  }
  if (stage === "prod" && alarmAddress === "") {
    throw new SettingError(`alarmAddress in ${file} must be set: in prod, somebody has to be told of alarms.`);
  }
}

function readDomain({ domainName, certificateArn, basePath, hostedZoneId }: StageSettings): Domain | undefined {
  if (!domainName) {
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
  return { name: domainName, certificateArn, basePath, hostedZoneId };
}

function dropUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
