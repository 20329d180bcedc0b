import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { quotaProblem, reservedBy } from "../../../tools/deploy/quota.ts";

const SCRIPT = join(import.meta.dirname, "../../../tools/deploy/deploy.ts");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deploy-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `npm run deploy` with a fake AWS CLI and a fake CDK that writes a template and records its arguments. */
async function deploy(
  args: string[],
  { stack, unreserved = 1_000, reserved = 26, failing = "", git = "exit 128" }: Account,
) {
  const aws = `#!/bin/sh
case "$2" in
  describe-stacks) ${stack ? `echo '{"Stacks":[{"StackStatus":"${stack}"}]}'` : 'echo "Stack with id x does not exist" >&2; exit 254'};;
  get-account-settings) echo '{"AccountLimit":{"ConcurrentExecutions":${unreserved},"UnreservedConcurrentExecutions":${unreserved}}}';;
esac`;
  for (const [name, program] of Object.entries({ aws, git: `#!/bin/sh\n${git}` })) {
    writeFileSync(join(folder, name), program);
    chmodSync(join(folder, name), 0o755);
  }
  const template = {
    Resources: { Chat: { Type: "AWS::Lambda::Function", Properties: { ReservedConcurrentExecutions: reserved } } },
  };
  const cdk = `
    import { appendFileSync, writeFileSync } from "node:fs";
    const args = process.argv.slice(2);
    appendFileSync(${JSON.stringify(join(folder, "cdk.log"))}, args.filter((arg) => !arg.startsWith("/")).join(" ") + "\\n");
    if (args[0] === "synth") writeFileSync(args[args.indexOf("--output") + 1] + "/a.template.json", ${JSON.stringify(JSON.stringify(template))});
    process.exit(args.join(" ").includes(${JSON.stringify(failing || "no such")}) ? 1 : 0);`;
  writeFileSync(join(folder, "cdk.mjs"), cdk);
  const env = { PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`, CDK_CLI: join(folder, "cdk.mjs") };
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) =>
    execFile(process.execPath, [SCRIPT, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    ),
  );
  const log = join(folder, "cdk.log");
  return { code, output, cdk: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

interface Account {
  stack?: string;
  unreserved?: number;
  reserved?: number;
  failing?: string;
  /** What Git does, as a shell script; by default, there is no repository. */
  git?: string;
}

const PROD = ["-c", "stage=prod", "--require-approval", "never"];
const SYNTH = "synth --quiet --strict --output -c stage=prod";
const DEPLOY = "deploy --strict -c stage=prod --require-approval never";

describe("npm run deploy", () => {
  test("updates an existing stack in one deployment", async () => {
    expect(await deploy(PROD, { stack: "UPDATE_COMPLETE" })).toMatchObject({ code: 0, cdk: [SYNTH, DEPLOY] });
  });

  test.each([undefined, "ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"])(
    "creates a stack without protection and protects it once it is complete: %s",
    async (stack) => {
      const run = await deploy(PROD, stack ? { stack } : {});
      expect(run).toMatchObject({ code: 0, cdk: [SYNTH, `${DEPLOY} -c creating=true`, DEPLOY] });
    },
  );

  test("does not protect a stack whose creation failed", async () => {
    const run = await deploy(PROD, { failing: "creating=true" });
    expect(run).toMatchObject({ code: 1, cdk: [SYNTH, `${DEPLOY} -c creating=true`] });
  });

  test("stops before creating a stack in a new account and says which quota to request", async () => {
    const run = await deploy(PROD, { unreserved: 10 });
    expect(run).toMatchObject({ code: 1, cdk: [SYNTH] });
    expect(run.output).toContain("--quota-code L-B99A9384 --desired-value 1000\n");
    expect(run.output).toContain('"reserveConcurrency": false');
  });

  test("creates a stack without reserved concurrency in any account", async () => {
    expect((await deploy(PROD, { unreserved: 10, reserved: 0 })).code).toBe(0);
  });
});

describe("the commit", () => {
  const HEAD = "0123456789abcdef0123456789abcdef01234567";
  const git = (changes: string) => `case "$1" in status) echo "${changes}";; rev-parse) echo ${HEAD};; esac`;

  test("that is checked out is stored in the stack, so that the pipeline can return to it", async () => {
    const run = await deploy(PROD, { git: git("") });
    const deployed = `${DEPLOY} -c commit=${HEAD}`;
    expect(run.cdk).toEqual([`${SYNTH} -c commit=${HEAD}`, `${deployed} -c creating=true`, deployed]);
  });

  test("is the pipeline's, if it gives one", async () => {
    const run = await deploy([...PROD, "-c", "commit=another"], { stack: "UPDATE_COMPLETE", git: git("") });
    expect(run.cdk.at(-1)).toBe(`${DEPLOY} -c commit=another`);
  });

  test.each([git(" M infra/stages/prod.json"), "exit 128"])(
    "is not stored if it is not what is deployed",
    async (git) => {
      const run = await deploy(PROD, { stack: "UPDATE_COMPLETE", git });
      expect(run.cdk.at(-1)).toBe(DEPLOY);
      expect(run.output).toContain("Commit and push them, and deploy again.");
    },
  );
});

describe("the concurrency quota", () => {
  const account = (unreserved: number) => ({
    ConcurrentExecutions: unreserved,
    UnreservedConcurrentExecutions: unreserved,
  });

  test("must leave 100 unreserved", () => {
    expect(quotaProblem(26, account(126))).toBeUndefined();
    expect(quotaProblem(26, account(125))).toContain("reserves 26");
  });

  test("is summed over all functions of a template", () => {
    const fn = (reserved?: number) => ({
      Type: "AWS::Lambda::Function",
      Properties: reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved },
    });
    expect(reservedBy({ Resources: { a: fn(20), b: fn(5), c: fn(), d: { Type: "AWS::SNS::Topic" } } })).toBe(25);
  });
});
