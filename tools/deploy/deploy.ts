import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloudFormationClient, DeleteChangeSetCommand } from "@aws-sdk/client-cloudformation";
import { CloudTrail } from "@aws-sdk/client-cloudtrail";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { runScript } from "../aws/explain.ts";
import { kmsTrails } from "../aws/kms-trails.ts";
import { describeStack, stackNames } from "../aws/stack.ts";
import { commitContext } from "./commit.ts";
import { readChangeSet } from "./losses.ts";
import { quotaProblem, reservedBy } from "./quota.ts";

const ALLOW_LOSS = "--allow-loss";

const SERVICE_ONLY = "--service-only";

const USAGE = `Deploys a stage: cdk deploy of its data stack and then of its service stack, with four additions.

  npm run deploy -- -c stage=prod    other options are those of cdk deploy

- Before it creates a service stack, it checks the account's concurrency quota, the most likely reason for a first
  deployment to fail.
- It creates a new data stack without deletion protection and protects it in a second deployment, so that a failed
  creation can be deleted.
- It stores the deployed commit in the service stack, so that the pipeline can return to it (-c commit=… stores another
  one).
- It does not carry out an update that replaces or removes a table, a KMS key, a secret or a backup vault, or resets a
  secret's value, unless ${ALLOW_LOSS} <logical ID> names it (repeatable).

${SERVICE_ONLY} leaves the data stack as it is. An earlier release returns this way: it finds everything that it uses in
the data stack of a later one.
`;

const ROOT = join(import.meta.dirname, "..", "..");
const CDK = join(ROOT, "node_modules", "aws-cdk", "bin", "cdk");
/** Unique, so that of two people who deploy at the same time, neither executes what the other has prepared. */
const newChangeSet = () => `deploy-${randomUUID()}`;

/** The states of a stack that has never been deployed successfully. */
const NEVER_UP = ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_COMPLETE"];

async function main(given: string[]): Promise<number> {
  if (given.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
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
    if (deployed === 0 && templateOf(assembly, names.service).Metadata?.Settings?.alarms) {
      await warnOfMissingTrail();
    }
    return deployed;
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
}

/** What is deployed, and how. */
interface Deployment {
  /** The synthesized templates. */
  assembly: string;
  /** For `cdk deploy`. */
  args: string[];
  /** The logical IDs of what may be lost. */
  allowed: string[];
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
  if (!serviceOnly) {
    const status = (await isUp(data))
      ? await update(cloudFormation, data, deployment)
      : await createData(data, deployment);
    if (status !== 0) {
      return status;
    }
  }
  return isServiceUp ? update(cloudFormation, service, deployment) : cdk(...deployOf(service, deployment));
}

/** The arguments of a `cdk deploy` of one stack, as it was synthesized. */
function deployOf(stack: string, { assembly, args }: Deployment, changeSet = newChangeSet()): string[] {
  return ["deploy", stack, "--exclusively", "--strict", "--app", assembly, ...args, "--change-set-name", changeSet];
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

/** Prepares a change set, and executes that very change set if it loses nothing. */
async function update(cloudFormation: CloudFormationClient, stack: string, deployment: Deployment): Promise<number> {
  const changeSet = newChangeSet();
  const deploy = deployOf(stack, deployment, changeSet);
  // The CDK asks for an approval, if it needs one, when it executes the change set.
  process.env.CDK_REQUIRE_APPROVAL = "never";
  const prepared = await cdk(...deploy, "--method=prepare-change-set");
  delete process.env.CDK_REQUIRE_APPROVAL;
  if (prepared !== 0) {
    return prepared;
  }
  const discard = () => cloudFormation.send(new DeleteChangeSetCommand({ StackName: stack, ChangeSetName: changeSet }));
  const { losses, empty } = await readChangeSet(cloudFormation, stack, changeSet);
  if (empty) {
    await discard();
    return 0;
  }
  const refused = losses.filter(({ logicalId }) => !deployment.allowed.includes(logicalId));
  if (refused.length > 0) {
    await discard();
    const names = refused.map(({ logicalId }) => `${ALLOW_LOSS} ${logicalId}`).join(" ");
    process.stderr.write(
      `${refused.map(({ sentence }) => `${sentence}\n`).join("")}Nothing was changed in ${stack}. If the loss is intended, add ${names}.\n`,
    );
    return 1;
  }
  return cdk(...deploy, "--method=execute-change-set");
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

async function cdk(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [CDK, ...args], { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

await runScript(() => main(process.argv.slice(2)), "stack");
