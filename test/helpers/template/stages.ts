import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { Properties } from "./template.ts";

const CERTIFICATE = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";

/** What prod's file leaves to the operator. */
const PROD = { stage: "prod", alarmAddress: "operator@example.test", backupCopyVault: "none" };

/** Every kind of stack: the stages, and the variations that context values allow. */
export const CONTEXTS = {
  // First, because it has every resource type: the CDK loads its rules anew for a stack with others than the one
  // before.
  domain: {
    ...PROD,
    domainName: "api.example.test",
    certificateArn: CERTIFICATE,
    hostedZoneId: "Z0000000EXAMPLE",
    basePath: "health/v1",
    outsideCheckMinutes: "5",
  },
  dev: {},
  staging: { stage: "staging" },
  prod: { ...PROD, fallbackModel: "another-model" },
  atOnce: { ...PROD, atOnce: "true" },
  creating: { ...PROD, creating: "true", auditArchiveDays: "365" },
  small: { ...PROD, profile: "small" },
  bedrock: {
    stage: "staging",
    modelProvider: "bedrock",
    model: "us.openai.gpt-6-luna",
    fallbackModel: "another-model",
  },
  unreserved: { stage: "staging", reserveConcurrency: "false" },
  options: {
    ...PROD,
    noticeAddress: "https://notices.example.test/",
    requestsInFiveMinutes: "3000",
    silentHours: "12",
    runbookUrl: "https://wiki.example.test/runbook",
    backupCopyVault: "arn:aws:backup:eu-west-1:111122223333:backup-vault:copies",
    backupLockDays: "30",
    auditArchiveDays: "365",
    commit: "0123456789abcdef0123456789abcdef01234567",
    modelSeconds: "120",
  },
  cors: { profile: "standard", corsOrigin: "https://app.example.test" },
  domainElsewhere: { domainName: "api.example.test", certificateArn: CERTIFICATE },
  ceilings: {
    profile: "standard",
    alarms: "true",
    reserveConcurrency: "true",
    chatConcurrency: "7",
    requestsPerAddress: "77",
    tokensPerHour: "777",
    alarmAddress: "https://pager.example.test/alarms?team=1",
  },
};

export type Kind = keyof typeof CONTEXTS;
export const KINDS = Object.keys(CONTEXTS) as Kind[];

/**
 * Synthesizes every kind of stack, once per test run: the first test file that needs them does it. Nothing is checked,
 * which would take as long again.
 *
 * @returns a folder with a subfolder for each kind that contains its cloud assembly
 * @throws when a stack is not synthesized within ten minutes
 */
export async function stageAssemblies(): Promise<string> {
  const folder = process.env.TEST_STAGE_ASSEMBLIES ?? "";
  const done = join(folder, "done");
  const first = await mkdir(join(folder, "begun")).then(
    () => true,
    () => false,
  );
  if (first) {
    await runWithCdk("synthesize-stages.ts", [folder, JSON.stringify(CONTEXTS)], { CDK_VALIDATION: "false" });
    writeFileSync(done, "");
  }
  for (let tries = 0; !existsSync(done); tries++) {
    if (tries === 6_000) {
      throw new Error("the stages were not synthesized; the test file that began says why");
    }
    await setTimeout(100);
  }
  return folder;
}

/**
 * Synthesizes every kind of stack again, with all checks: those of CloudFormation's schemas, and cdk-nag's.
 *
 * @param folder gets a subfolder for each kind that contains its cloud assembly, with `validation-report.json`
 * @throws when a stack has a finding
 */
export async function checkStages(folder: string): Promise<void> {
  await stageAssemblies(); // for their bundles
  await runWithCdk("synthesize-stages.ts", [folder, JSON.stringify(CONTEXTS)]);
}

/**
 * Runs a program from this directory the way the CDK runs the app, with the bundles of the stages' stacks: those in
 * `.build` may be replaced at any time.
 */
export async function runWithCdk(program: string, args: string[], variables: object = {}): Promise<void> {
  const { NODE_ENV: _, ...others } = process.env; // with NODE_ENV=test, the CDK reports differently
  const BUNDLES_FOLDER = join(process.env.TEST_STAGE_ASSEMBLIES ?? "", "bundles");
  const env = { ...others, BUNDLES_FOLDER, ...variables };
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, program), ...args], { env });
}

/** The properties of an assembly's stacks, by name, from its manifest. */
export function stacksOf(assembly: string): Record<string, Properties> {
  const { artifacts } = JSON.parse(readFileSync(join(assembly, "manifest.json"), "utf8"));
  const stacks = Object.entries<Properties>(artifacts).filter(([, { type }]) => type === "aws:cloudformation:stack");
  return Object.fromEntries(stacks.map(([name, { properties }]) => [name, properties]));
}
