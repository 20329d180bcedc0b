import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { testOnPosix } from "../helpers/posix.ts";
import { resolveIntrinsics } from "../helpers/template/intrinsics.ts";
import type { Properties } from "../helpers/template/template.ts";
import { findingsIn } from "../helpers/template/workflow-findings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FOLDER = ".github/workflows";
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
const names = readdirSync(join(ROOT, FOLDER));
const texts = Object.fromEntries(names.map((name) => [name, text(`${FOLDER}/${name}`)]));
const workflows: Record<string, Properties> = Object.fromEntries(names.map((name) => [name, parse(texts[name] ?? "")]));
const jobs = Object.entries(workflows).flatMap(([name, workflow]) =>
  Object.entries<Properties>(workflow.jobs).map(([job, value]): [string, Properties] => [`${name} ${job}`, value]),
);
const steps = jobs.flatMap(([, job]): Properties[] => job.steps ?? []);
const all = Object.values(texts).join("\n");

/** The syntax of a variable in templates and expressions. */
const variable = (name: string) => `\${${name}}`;
const findings = (workflow: string) => findingsIn(workflow, text);

describe("the workflow check", () => {
  test.each(names)("finds no error in %s", async (name) => {
    expect(await findings(texts[name] ?? "")).toEqual([]);
  });
});

describe("the commands of the workflows", () => {
  test("use only scripts, programs and workflows that exist", () => {
    const scripts = [...all.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(scripts).toContain("deploy");
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
    const programs = [...all.matchAll(/\bnode ([\w/-]+\.m?[jt]s)\b/g)].map(([, program = ""]) => program);
    expect(programs).toContain("tools/print-openapi.ts");
    expect(programs.filter((program) => !existsSync(join(ROOT, program)))).toEqual([]);
    expect(all).toContain("run: bash .ci/run\n");
    expect(existsSync(join(ROOT, ".ci/run"))).toBe(true);
    for (const [, job] of jobs.filter(([, { uses }]) => uses)) {
      expect(names).toContain(job.uses.replace(`./${FOLDER}/`, ""));
    }
  });
});

describe("the workflows", () => {
  test("have no permissions except those that a job declares: reading the code and OIDC identity", () => {
    for (const { permissions } of Object.values(workflows)) {
      expect(permissions).toEqual({});
    }
    const writing = jobs.filter(([, { permissions }]) => Object.values(permissions).includes("write"));
    const rights = writing.map(
      ([
        name,
        {
          permissions: { contents, ...others },
        },
      ]) => [name, contents, ...Object.keys(others)],
    );
    expect(rights).toEqual([
      ...[
        "deploy-stage.yml deploy",
        "deploy.yml staging",
        "deploy.yml prod-diff",
        "deploy.yml prod",
        "diff.yml diff",
      ].map((name) => [name, "read", "id-token"]),
      ["release.yml release", "write"],
      ["release.yml publish-client", "read", "id-token"],
    ]);
  });

  test("need no stored secret, and keep no token after a checkout", () => {
    expect(all).not.toMatch(/\bsecrets\b\s*(\.|:|\[)/);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => step.with?.["persist-credentials"])).toEqual(checkouts.map(() => false));
  });
});

describe("a deployment", () => {
  const job = workflows["deploy-stage.yml"]?.jobs.deploy ?? {};

  testOnPosix.each([
    ["goes on to the live check if its key is there", "exit 0", null, ""],
    [
      "says what to do if there is no key for the live check yet",
      "exit 254",
      1,
      "--client live-check --stage staging |",
    ],
  ])("%s", (_, aws, code, said) => {
    const index = job.steps.findIndex((step: Properties) => step.name === "Find the live check's key");
    expect(job.steps[index + 1].name).toBe("Live check");
    const folder = mkdtempSync(join(tmpdir(), "workflow-"));
    const summary = join(folder, "summary");
    writeFileSync(join(folder, "aws"), `#!/bin/sh\n${aws}`, { mode: 0o755 });
    writeFileSync(summary, "");
    const env = { PATH: `${folder}:/usr/bin:/bin`, STAGE: "staging", GITHUB_STEP_SUMMARY: summary };
    const { status } = spawnSync("bash", ["-e", "-c", job.steps[index].run], { env });
    expect([status || null, readFileSync(summary, "utf8")]).toEqual([code, expect.stringContaining(said)]);
    rmSync(folder, { recursive: true });
  });

  testOnPosix("never replaces a newer commit with an older one whose approval came late", () => {
    const names: string[] = job.steps.map(({ name }: Properties) => name);
    const guard = job.steps[names.indexOf("Refuse a commit older than the deployed one")];
    expect(names.indexOf(guard.name)).toBeLessThan(names.indexOf("Deploy"));
    expect(guard.env.DEPLOYED).toBe(variable("{ steps.previous.outputs.commit }"));
    const run = (deployed: string, status: string) => {
      const gh = `gh() { [[ "$2" == */compare/${deployed}...new ]] && echo ${status}; }`;
      const env = { ...process.env, DEPLOYED: deployed, GITHUB_SHA: "new", GITHUB_REPOSITORY: "a/b", STAGE: "prod" };
      return spawnSync("bash", ["-e", "-c", `${gh}\n${guard.run}`], { env }).status;
    };
    expect([run("old", "ahead"), run("old", "identical"), run("", "behind"), run("newer", "behind")]).toEqual([
      0, 0, 0, 1,
    ]);
  });

  testOnPosix.each([
    ["nothing else by default", "", "false", ""],
    ["every ID that may be lost", "TablesOld SecretsOld", "false", " --allow-loss TablesOld --allow-loss SecretsOld"],
    ["that only the service is deployed", "", "true", " --service-only"],
  ])("passes on %s", (_, ALLOW_LOSS, SERVICE_ONLY, passed) => {
    const { run, env: inputs } = job.steps.find(({ name }: Properties) => name === "Deploy");
    expect(Object.values(inputs)).toEqual(["allow-loss", "service-only"].map((name) => variable(`{ inputs.${name} }`)));
    const env = { STAGE: "staging", GITHUB_SHA: "abc", ALLOW_LOSS, SERVICE_ONLY };
    const { stdout } = spawnSync("bash", ["-e", "-c", `npm() { echo "$@"; }\n${run}`], { env, encoding: "utf8" });
    expect(stdout).toBe(`run deploy -- -c stage=staging -c commit=abc --require-approval never${passed}\n`);
  });

  test("takes the inputs of a run that is started by hand to both stages, and has time for a rollback", () => {
    const { on, jobs: stages } = workflows["deploy.yml"] ?? {};
    const inputs = Object.keys(on.workflow_dispatch.inputs);
    for (const stage of ["staging", "prod"]) {
      expect(Object.keys(stages[stage].with)).toEqual(["stage", ...inputs]);
    }
    expect(Object.keys(workflows["deploy-stage.yml"]?.on.workflow_call.inputs)).toEqual(["stage", ...inputs]);
    // A hook of 15 minutes and a canary of 20, and the same again for the way back.
    expect(job["timeout-minutes"]).toBeGreaterThanOrEqual(2 * (15 + 20) + 30);
  });

  test("never runs for a pull request, which only runs tests, other platforms, generators, the audit and a diff", () => {
    const ofPullRequests = names.filter((name) => "pull_request" in (workflows[name]?.on ?? {}));
    expect(ofPullRequests.sort()).toEqual(["audit.yml", "diff.yml", "generators.yml", "platforms.yml", "test.yml"]);
    expect(texts["diff.yml"]).toContain("cdk diff --method=template");
  });
});

describe("the pipeline's roles", () => {
  const template = JSON.parse(text(".github/pipeline-role.json"));
  const { Parameters, Outputs } = template;
  const given = (Stage: string) => ({
    Repository: "clinic/assistant",
    OwnerId: "1001",
    RepositoryId: "2002",
    Stage,
    Qualifier: "hnb659fds",
    Provider: "provider",
    "AWS::Partition": "aws",
    "AWS::AccountId": "account",
    "AWS::Region": "region",
  });
  const resourcesOf = (stage: string) =>
    resolveIntrinsics(template.Resources, template, given(stage)) as Record<string, Properties>;
  const issuer = "token.actions.githubusercontent.com";

  /** The subjects that may assume a role. */
  const trusted = (stage: string, role: string) => {
    const [statement, ...others]: Properties[] =
      resourcesOf(stage)[role]?.Properties.AssumeRolePolicyDocument.Statement ?? [];
    expect(others).toEqual([]);
    expect(statement?.Action).toBe("sts:AssumeRoleWithWebIdentity");
    const { StringEquals = {}, ...otherTests } = statement?.Condition ?? {};
    const { [`${issuer}:aud`]: audience, [`${issuer}:sub`]: subjects, ...more } = StringEquals;
    expect(otherTests).toEqual({});
    expect([audience, more]).toEqual(["sts.amazonaws.com", {}]);
    return subjects;
  };
  const allowed = (stage: string, role: string): string[] =>
    resourcesOf(stage)[role]?.Properties.Policies.flatMap(({ PolicyDocument }: Properties) =>
      PolicyDocument.Statement.flatMap(({ Action, Resource }: Properties) =>
        [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${resource}`)),
      ),
    );

  /** An action on the service stack and on the data stack. */
  const onStacks = (stage: string, action: string) =>
    [stage, `${stage}-data`].map(
      (name) => `cloudformation:${action} arn:aws:cloudformation:region:account:stack/health-assistant-${name}/*`,
    );

  // "Immutable subject claims for GitHub Actions OIDC tokens" (GitHub changelog): repositories created, renamed or
  // transferred since 2026-07-15 send their ids; older ones do not. A repository that takes over an old name sends its
  // own ids, so trusting the name does not let it in.
  test.each([
    ["staging", "DeployRole", "environment:staging"],
    ["prod", "DeployRole", "environment:prod"],
    ["staging", "DiffRole", "pull_request"],
    ["prod", "DiffRole", "environment:prod-diff"],
  ])("in %s, %s trusts %s of one repository, with and without ids, and nothing else", (stage, role, context) => {
    expect(trusted(stage, role)).toEqual([
      `repo:clinic/assistant:${context}`,
      `repo:clinic@1001/assistant@2002:${context}`,
    ]);
  });

  test("require the ids of owner and repository", () => {
    expect(Object.keys(template.Resources)).toEqual(["Provider", "DeployRole", "DiffRole"]);
    expect(Object.keys(Outputs)).toEqual(["DeployRole", "DiffRole"]);
    for (const name of ["OwnerId", "RepositoryId"]) {
      expect(Parameters[name].Default).toBeUndefined();
      expect("1001").toMatch(new RegExp(Parameters[name].AllowedPattern));
      expect("*").not.toMatch(new RegExp(Parameters[name].AllowedPattern));
    }
    expect("owner/*").not.toMatch(new RegExp(Parameters.Repository.AllowedPattern));
  });

  test.each(["staging", "prod"])("may only read the template of %s for a diff", (stage) => {
    expect(allowed(stage, "DiffRole")).toEqual(
      ["DescribeStacks", "GetTemplate"].flatMap((action) => onStacks(stage, action)),
    );
  });

  test("deploy with the bootstrap roles, read the stacks, the account's quota and its trails, and read the live check's key", () => {
    expect(allowed("prod", "DeployRole")).toEqual([
      "sts:AssumeRole arn:aws:iam::account:role/cdk-hnb659fds-deploy-role-account-region",
      "sts:AssumeRole arn:aws:iam::account:role/cdk-hnb659fds-file-publishing-role-account-region",
      ...["DeleteChangeSet", "DescribeChangeSet", "DescribeStacks"].flatMap((action) => onStacks("prod", action)),
      "lambda:GetAccountSettings *",
      "backup:DescribeRegionSettings *",
      "cloudtrail:DescribeTrails *",
      "cloudtrail:GetEventSelectors arn:aws:cloudtrail:*:*:trail/*",
      "cloudtrail:GetTrailStatus arn:aws:cloudtrail:*:*:trail/*",
      "secretsmanager:GetSecretValue arn:aws:secretsmanager:region:account:secret:health-assistant/live-check-??????",
    ]);
    expect(texts["deploy-stage.yml"]).toContain("--secret-id health-assistant/live-check ");
  });
});

describe("packages", () => {
  test("have hashes in the lock file, except those of the project, those in another package's archive, and binaries that docs/security.md names", () => {
    const { packages } = JSON.parse(text("package-lock.json")) as { packages: Record<string, Properties> };
    const without = Object.entries(packages).filter(
      ([path, { integrity, inBundle, link }]) => !/^$|^packages\//.test(path) && !integrity && !inBundle && !link,
    );
    const platforms = ["darwin-arm64", "darwin-x64", "linux-arm64", "win32-x64"];
    expect(without.map(([path]) => path)).toEqual(platforms.map((name) => `node_modules/@dynoxide/${name}`));
    expect(text("docs/security.md")).toContain("`@dynoxide/` for other platforms than Linux x64");
  });

  const folders = globSync("{.,examples/*}/package-lock.json", { cwd: ROOT }).map((path) => dirname(path));
  const { updates } = parse(text(".github/dependabot.yml")) as { updates: Properties[] };

  test("are audited and updated wherever there is a lock file", () => {
    const { strategy, defaults } = workflows["audit.yml"]?.jobs.audit ?? {};
    expect(folders).toHaveLength(2);
    expect(strategy.matrix.folder.toSorted()).toEqual(folders.toSorted());
    expect(defaults.run["working-directory"]).toBe(variable("{ matrix.folder }"));
    expect(updates[0]?.directories.map((path: string) => join(".", path, ".")).sort()).toEqual(folders.sort());
  });

  test("are grouped by patterns that match packages of the project", () => {
    const names = folders.flatMap((folder) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text(join(folder, "package.json")));
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    });
    const patterns: string[] = Object.values<Properties>(updates[0]?.groups).flatMap((group) => group.patterns ?? []);
    const matches = (pattern: string, name: string) =>
      pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((pattern) => !names.some((name) => matches(pattern, name)))).toEqual([]);
  });
});
