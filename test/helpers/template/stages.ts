import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Properties } from "./template.ts";

const CERTIFICATE = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";

/** Every kind of stack: the stages, and the other variations that context values allow. */
export const CONTEXTS = {
  dev: {},
  staging: { stage: "staging" },
  prod: { stage: "prod", fallbackModel: "another-model", alarmAddress: "operator@example.test" },
  atOnce: { stage: "prod", atOnce: "true" },
  domain: {
    stage: "prod",
    domainName: "api.example.test",
    certificateArn: CERTIFICATE,
    hostedZoneId: "Z0000000EXAMPLE",
    basePath: "health/v1",
  },
  domainElsewhere: { domainName: "api.example.test", certificateArn: CERTIFICATE },
  ceilings: {
    chatConcurrency: "7",
    requestsPerAddress: "77",
    tokensPerHour: "777",
    alarmAddress: "https://pager.example.test/alarms?team=1",
  },
};

export type Kind = keyof typeof CONTEXTS;
export const KINDS = Object.keys(CONTEXTS) as Kind[];

/**
 * Synthesizes kinds of stacks, with all checks.
 *
 * @param folder where each assembly is written, in a subdirectory named after its kind
 * @throws Error with the findings in `stderr`, if there are any
 */
export async function synthesizeStages(folder: string, kinds: Kind[]): Promise<void> {
  const contexts = Object.fromEntries(kinds.map((kind) => [kind, CONTEXTS[kind]]));
  await runWithCdk("synthesize-stages.ts", folder, JSON.stringify(contexts));
}

/** Runs a program from this directory the way the CDK runs the app. */
export async function runWithCdk(program: string, ...args: string[]): Promise<void> {
  const { NODE_ENV: _, ...env } = process.env; // with NODE_ENV=test, the CDK reports differently
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, program), ...args], { env });
}

/** The properties of an assembly's stack, from its manifest. */
export function stackOf(assembly: string): Properties {
  const { artifacts } = JSON.parse(readFileSync(join(assembly, "manifest.json"), "utf8"));
  return Object.values<Properties>(artifacts).find(({ type }) => type === "aws:cloudformation:stack")?.properties ?? {};
}
