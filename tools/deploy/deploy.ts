import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { AwsError, aws } from "./aws.ts";
import { type AccountLimit, quotaProblem, reservedBy } from "./quota.ts";

const USAGE = `Deploys a stage: cdk deploy, with three additions.

  npm run deploy -- -c stage=prod    other options are those of cdk deploy

- It first checks the account's concurrency quota, the most likely reason for a first deployment to fail.
- It creates a new stack without deletion protection and protects it in a second deployment, so that a failed creation
  can be deleted.
- It stores the deployed commit in the stack, so that the pipeline can return to it (-c commit=… stores another one).
`;

const ROOT = join(import.meta.dirname, "..", "..");
const CDK = join(ROOT, "node_modules", "aws-cdk", "bin", "cdk");

/** The states of a stack that has never been deployed successfully. */
const NEVER_UP = ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_COMPLETE"];

async function main(given: string[]): Promise<number> {
  if (given.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  const args = given.some((arg) => arg.startsWith("commit=")) ? given : [...given, ...(await commitContext())];
  const contexts = args.flatMap((arg, index) => (["-c", "--context"].includes(args[index - 1] ?? "") ? [arg] : []));
  const stage = contexts.find((context) => context.startsWith("stage="))?.slice("stage=".length) ?? "dev";
  const output = mkdtempSync(join(tmpdir(), "deploy-"));
  try {
    const inContext = contexts.flatMap((context) => ["-c", context]);
    const status = await cdk("synth", "--quiet", "--strict", "--output", output, ...inContext);
    if (status !== 0) {
      return status;
    }
    if (await hasBeenUp(`health-assistant-${stage}`)) {
      return cdk("deploy", "--strict", ...args);
    }
    const problem = await createProblem(output);
    if (problem) {
      process.stderr.write(problem);
      return 1;
    }
    process.stdout.write("The stack does not exist yet: it will be created first, and then protected from deletion.\n");
    const created = await cdk("deploy", "--strict", ...args, "-c", "creating=true");
    return created === 0 ? cdk("deploy", "--strict", ...args) : created;
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** The options that store the checked-out commit; none, with a message, if it is not what is deployed. */
async function commitContext(): Promise<string[]> {
  const git = async (...args: string[]) => (await promisify(execFile)("git", args, { cwd: ROOT })).stdout.trim();
  const uncommitted = await git("status", "--porcelain").catch(() => "everything");
  if (uncommitted === "") {
    return ["-c", `commit=${await git("rev-parse", "HEAD")}`];
  }
  process.stderr.write(
    "There are changes that are not committed, so the stack gets no output Commit, and the pipeline cannot return to " +
      "this deployment if its next one fails. Commit and push them, and deploy again.\n",
  );
  return [];
}

async function hasBeenUp(stackName: string): Promise<boolean> {
  const found = await aws<{ Stacks: { StackStatus: string }[] }>(
    ...["cloudformation", "describe-stacks", "--stack-name", stackName],
  );
  const status = found?.Stacks[0]?.StackStatus;
  return status !== undefined && !NEVER_UP.includes(status);
}

/** Why the stack cannot be created in this account; undefined if no obstacle is known. */
async function createProblem(assembly: string): Promise<string | undefined> {
  const file = readdirSync(assembly).find((name) => name.endsWith(".template.json")) ?? "";
  const reserved = reservedBy(JSON.parse(readFileSync(join(assembly, file), "utf8")));
  const settings = await aws<{ AccountLimit: AccountLimit }>("lambda", "get-account-settings");
  return settings && quotaProblem(reserved, settings.AccountLimit);
}

async function cdk(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [process.env.CDK_CLI ?? CDK, ...args], { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof AwsError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
