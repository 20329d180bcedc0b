import type * as z from "zod";
import { closestName } from "../shared/contract/closest-name.ts";
import { chooseHelpLines, type HelpLines } from "../shared/help-lines.ts";
import { checkBedrock } from "./bedrock-models.ts";
import { SettingError } from "./setting-error.ts";
import {
  DEPLOYMENT_SETTINGS,
  type DeploymentSettings,
  requirementOf,
  STAGE_SETTINGS,
  type StageSettings,
} from "./settings-schema.ts";
import { STAGES } from "./stages.ts";

/** The settings from the stage's file and `-c`, and those derived from them. */
export interface Settings extends StageSettings, DeploymentSettings {
  stage: string;
  /** Whether there is a firewall in front of the API. */
  firewall: boolean;
  /** Whether everything that can fail has its own metric, alarm and graph, or only what matters most. */
  monitoring: "full" | "essential";
  /** Whom a person in danger is told to call. */
  helpLines: HelpLines;
  /** The custom domain; undefined to use API Gateway's default endpoint. */
  domain: Domain | undefined;
  /** How new versions of some functions receive their traffic in this stage; undefined if no version is checked. */
  canary: { percentage: number; minutes: number } | undefined;
  /** The same for this deployment; undefined for all at once. */
  shifting: Settings["canary"];
  /** Settings given with `-c` instead of in the stage's file. */
  overrides: Record<string, string>;
}

/** A custom domain name. */
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

/** The percentage of the traffic that a new version receives first. */
const CANARY_PERCENTAGE = 10;

const NAMES = ["stage", ...Object.keys(STAGE_SETTINGS.shape), ...Object.keys(DEPLOYMENT_SETTINGS.shape)];

/**
 * Reads the settings of the stage that the CDK context names: those in its file, overridden by those in the context.
 *
 * @param context the values of `-c` and `cdk.json`, including the CDK's own (whose names contain `@` or `:`)
 * @param stages the contents of the stages' files
 * @throws SettingError naming the setting that is invalid or does not exist
 */
export function readSettings(context: Record<string, unknown>, stages = STAGES): Settings {
  const settings = read(context, stages);
  const [missing] = undecided(settings);
  if (missing !== undefined && !context[WITHOUT_DECISIONS]) {
    throw new SettingError(missing);
  }
  return settings;
}

/**
 * The context value with which a template can be written before the operator has decided what only they can, to read
 * and check it. `npm run synth` sets it; a deployment does not.
 */
const WITHOUT_DECISIONS = "health-assistant:without-decisions";

/** What the operator has to decide before a deployment, each as a sentence. */
export function undecided({ stage, alarmAddress, backupCopyVault }: Settings): string[] {
  const file = `infra/stages/${stage}.json`;
  return stage === "prod"
    ? [
        ...(alarmAddress === ""
          ? [`alarmAddress in ${file} must be set: in prod, somebody must be notified of alarms.`]
          : []),
        ...(backupCopyVault === ""
          ? [
              `backupCopyVault in ${file} must be set: to a vault in another region, or to none if the loss of the region ` +
                "may lose all patients.",
            ]
          : []),
      ]
    : [];
}

/** Says so, as a sentence, if a stage has alarms that nobody is told of. */
export function unheardAlarms({ stage, alarms, alarmAddress, noticeAddress }: Settings): string[] {
  return alarms && alarmAddress === "" && noticeAddress === ""
    ? [
        `Nobody is notified of the alarms of ${stage}: infra/stages/${stage}.json has neither alarmAddress nor noticeAddress.`,
      ]
    : [];
}

function read(context: Record<string, unknown>, stages: Record<string, unknown>): Settings {
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
  check(stage, settings);
  const helpLines = chooseHelpLines(settings);
  if (typeof helpLines === "string") {
    throw new SettingError(helpLines);
  }
  const { atOnce: allAtOnce, canaryMinutes: minutes } = settings;
  const canary = minutes === 0 ? undefined : { percentage: CANARY_PERCENTAGE, minutes };
  const { firewall, monitoring } = PROFILES[settings.profile];
  if (settings.requestsInFiveMinutes > 0 && (!firewall || settings.requestsInFiveMinutes < 10)) {
    throw new SettingError(
      "requestsInFiveMinutes must be at least 10 and requires the profile standard, since the firewall counts " +
        "the requests.",
    );
  }
  return {
    ...settings,
    stage,
    firewall,
    monitoring,
    helpLines,
    domain: readDomain(settings),
    canary,
    shifting: allAtOnce ? undefined : canary,
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
    const mustBe = requirementOf(schema.shape[name] as z.ZodType);
    const value = values[name];
    throw new SettingError(
      value === undefined
        ? `${called(name)} is missing; it must be ${mustBe}.`
        : `${called(name)} is ${typeof value === "object" ? JSON.stringify(value) : `"${value}"`}; it must be ${mustBe}.`,
    );
  }
  return result.data as z.output<T>;
}

/** The shortest canary that its alarm can end: two periods of 5 minutes, and as much for late log lines. */
const SHORTEST_CANARY_MINUTES = 15;

/** Checks settings that depend on the stage or on each other. */
function check(stage: string, settings: StageSettings): void {
  checkBedrock(settings);
  const { playground, backupLockDays, backupDays, canaryMinutes } = settings;
  if (playground && stage !== "dev") {
    throw new SettingError(
      `The context value playground is true, but the stage is ${stage}; only dev can have a playground.`,
    );
  }
  if (backupLockDays > backupDays) {
    throw new SettingError("backupLockDays must not be greater than backupDays: AWS Backup would reject every backup.");
  }
  if (canaryMinutes > 0 && canaryMinutes < SHORTEST_CANARY_MINUTES) {
    throw new SettingError(
      `canaryMinutes is ${canaryMinutes}; it must be 0 or at least ${SHORTEST_CANARY_MINUTES}, so that the alarm can end ` +
        "a deployment.",
    );
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
      `The context value basePath is "${basePath}"; it must be a path without leading or trailing slashes.`,
    );
  }
  return { name: domainName, certificateArn, basePath, hostedZoneId };
}

function dropUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
