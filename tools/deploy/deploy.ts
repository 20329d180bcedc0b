import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backup } from "@aws-sdk/client-backup";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudTrail } from "@aws-sdk/client-cloudtrail";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { usageError } from "../../shared/command-line.ts";
import { ENABLE_ADVANCED_BACKUPS, hasAdvancedBackups } from "../aws/backup-settings.ts";
import { runScript } from "../aws/explain.ts";
import { kmsTrails } from "../aws/kms-trails.ts";
import { describeStack, stackNames } from "../aws/stack.ts";
import { cdk, type Deployment, deployOf, newChangeSet, ROOT } from "./cdk.ts";
import { commitContext } from "./commit.ts";
import { quotaProblem, reservedBy } from "./quota.ts";
import { ALLOW_LOSS, updateData, updateService } from "./update.ts";

const SERVICE_ONLY = "--service-only";

const USAGE = `Deploys a stage: cdk deploy of its data stack and then of its service stack, with four additions.

  npm run deploy -- -c stage=prod    other options are those of cdk deploy

- Before it creates a service stack, it checks the account's concurrency quota, the most likely reason for a first
  deployment to fail.
- It creates a new data stack without deletion protection and protects it in a second deployment, so that a failed
  creation can be deleted.
- It stores the deployed commit in the service stack, so that the pipeline can return to it (-c commit=… stores another
  one).
- It does not carry out an update that replaces a table, a KMS key, a secret or a backup vault, or resets a secret's
  value, unless ${ALLOW_LOSS} <logical ID> names it (repeatable). If the update only removes some, as the return to an
  earlier release does, it leaves the data stack as it is and deploys the service; with ${ALLOW_LOSS}, it removes them
  after that.

${SERVICE_ONLY} leaves the data stack as it is. An earlier release returns this way: it finds everything that it uses in
the data stack of a later one.
`;

/** The states of a stack that has never been deployed successfully. */
const NEVER_UP = ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_COMPLETE"];

async function main(given: string[]): Promise<number> {
  if (given.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  const stray = given.find((arg, index) => !arg.startsWith("-") && !/^-[^=]*$/.test(given[index - 1] ?? ""));
  if (stray !== undefined) {
    usageError(USAGE, `The argument ${stray} belongs to no option; which stage is deployed is set by -c stage=….`);
  }
  await new CloudFormationClient().config.region(); // before the synthesis, which takes a minute
  const allowed = given.filter((_, index) => given[index - 1] === ALLOW_LOSS);
  const passed = given.filter(
    (arg, index) => ![ALLOW_LOSS, SERVICE_ONLY].includes(arg) && given[index - 1] !== ALLOW_LOSS,
  );
  const args = [...passed, ...(await commitContext(ROOT, passed))];
  const contexts = args.flatMap((arg, index) => (["-c", "--context"].includes(args[index - 1] ?? "") ? [arg] : []));
  const stage = contexts.find((context) => context.startsWith("stage="))?.slice("stage=".length) ?? "dev";
  const assembly = mkdtempSync(join(tmpdir(), "deploy-"));
  try {
    const inContext = contexts.flatMap((context) => ["-c", context]);
    const status = await cdk("synth", "--quiet", "--strict", "--output", assembly, ...inContext);
    if (status !== 0) {
      return status;
    }
    const names = stackNames(stage);
    const deployed = await deploy(names, { assembly, args, allowed }, given.includes(SERVICE_ONLY));
    const { alarms, keepsData } = templateOf(assembly, names.service).Metadata?.Settings ?? {};
    if (deployed === 0 && alarms) {
      await warnOfMissingTrail();
    }
    if (deployed === 0 && keepsData) {
      await warnOfBasicBackups();
    }
    return deployed;
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
}

/** Deploys the data, which the service refers to, and then the service. */
async function deploy(
  { data, service }: { data: string; service: string },
  deployment: Deployment,
  serviceOnly: boolean,
): Promise<number> {
  const cloudFormation = new CloudFormationClient();
  const isUp = async (stack: string) => {
    const { StackStatus = "DELETE_COMPLETE" } = (await describeStack(cloudFormation, stack)) ?? {};
    return !NEVER_UP.includes(StackStatus);
  };
  const isServiceUp = await isUp(service);
  const problem = isServiceUp ? undefined : await createProblem(deployment.assembly, service);
  if (problem) {
    process.stderr.write(problem);
    return 1;
  }
  const deployService = () =>
    isServiceUp ? updateService(cloudFormation, service, deployment) : cdk(...deployOf(service, deployment));
  if (serviceOnly) {
    return deployService();
  }
  return (await isUp(data))
    ? updateData(cloudFormation, data, deployment, { service: deployService, isServiceUp })
    : (await createData(data, deployment)) || deployService();
}

async function createData(stack: string, deployment: Deployment): Promise<number> {
  process.stdout.write("There is no data stack yet: it will be created first, and then protected from deletion.\n");
  const creating = [...deployment.args, "-c", "creating=true", "--change-set-name", newChangeSet()];
  const created = await cdk("deploy", stack, "--exclusively", "--strict", ...creating);
  return created === 0 ? cdk(...deployOf(stack, deployment)) : created;
}

/** The synthesized template of a stack. */
function templateOf(assembly: string, stack: string) {
  return JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), "utf8"));
}

/** Why the service cannot be created in this account; undefined if no obstacle is known. */
async function createProblem(assembly: string, service: string): Promise<string | undefined> {
  const reserved = reservedBy(templateOf(assembly, service).Resources);
  if (reserved === 0) {
    return undefined;
  }
  const { AccountLimit } = await new LambdaClient().send(new GetAccountSettingsCommand());
  return AccountLimit && quotaProblem(reserved, AccountLimit);
}

/** Says so if the alarm `key-disabled` cannot go off in this account. */
async function warnOfMissingTrail(): Promise<void> {
  const { reports } = await kmsTrails(new CloudTrail());
  if (!reports) {
    process.stderr.write(
      "No trail of this account reports calls to KMS, so nobody will be notified if an encryption key is disabled or " +
        "scheduled for deletion: create a trail of management events in CloudTrail (docs/operations.md, The account).\n",
    );
  }
}

/** Says so if the backups would be lost together with the key of the data. */
async function warnOfBasicBackups(): Promise<void> {
  // The deployment has succeeded, whatever keeps this from being looked up, such as an older role of the pipeline.
  const advanced = await hasAdvancedBackups(new Backup()).catch(() => undefined);
  if (!advanced) {
    const found = advanced === undefined ? "may be off (this could not be looked up)" : "are off";
    process.stderr.write(
      `AWS Backup's advanced features for DynamoDB ${found} in this region, so backups are encrypted with the key of the ` +
        `data, and lost with it. Enable them; this applies to later backups:\n\n  ${ENABLE_ADVANCED_BACKUPS}\n`,
    );
  }
}

await runScript(() => main(process.argv.slice(2)), "stack");
