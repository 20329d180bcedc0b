import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
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

/** How templates and expressions name a variable. */
const variable = (name: string) => `\${${name}}`;
const findings = (workflow: string) => findingsIn(workflow, text);

describe("each workflow is valid", () => {
  test.each(names)("%s", async (name) => {
    expect(await findings(texts[name] ?? "")).toEqual([]);
  });

  test.each([
    ["a key that does not exist", "steps:", "stepz:", "Unexpected value 'stepz'"],
    ["a permission that does not exist", "id-token: write", "id-tokens: write", "Unexpected value 'id-tokens'"],
    ["a context that does not exist", "vars.AWS_REGION", "variables.AWS_REGION", "Unrecognized named-value"],
    ["a step that does not exist", "steps.outputs.outputs", "steps.deploy.outputs", "might be invalid: deploy"],
  ])("or the check would name %s", async (_, right, wrong, message) => {
    const workflow = texts["deploy-stage.yml"] ?? "";
    expect(workflow).toContain(right);
    expect((await findings(workflow.replace(right, wrong))).join("\n")).toContain(message);
  });

  test("or the check would name a call that gives no stage", async () => {
    const broken = (texts["deploy.yml"] ?? "").replace("      stage: prod", "      stages: prod");
    expect((await findings(broken)).join("\n")).toMatch(/stage/);
  });
});

describe("what the workflows run", () => {
  test("of others is pinned by commit, with its version beside it, the same everywhere", () => {
    const uses = [...all.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, used = ""]) => used);
    const foreign = uses.filter((used) => !used.startsWith("./"));
    expect(foreign.length).toBeGreaterThan(5);
    for (const used of foreign) {
      expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    const actions = new Set(foreign.map((used) => used.split("@")[0]));
    expect(new Set(foreign).size).toBe(actions.size);
    expect(steps.filter(({ uses: used }) => used).length + jobs.filter(([, job]) => job.uses).length).toBe(uses.length);
  });

  test("of ours is there", () => {
    const scripts = [...all.matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(scripts.sort()).toEqual(["check:live", "deploy"]);
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
    expect(all).toContain("run: bash .ci/run\n");
    expect(existsSync(join(ROOT, ".ci/run"))).toBe(true);
    for (const [, job] of jobs.filter(([, { uses }]) => uses)) {
      expect(names).toContain(job.uses.replace(`./${FOLDER}/`, ""));
    }
  });

  test("holds no text that somebody else could choose: commands have no expressions in them", () => {
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter((run) => run.includes("${{"))).toEqual([]);
  });
});

describe("what the workflows may do", () => {
  test("is nothing, but for what a job names itself: to read the code, and to prove what it is", () => {
    for (const { permissions } of Object.values(workflows)) {
      expect(permissions).toEqual({});
    }
    const rights = jobs.map(([name, { permissions }]) => [name, permissions]);
    const read = { contents: "read" };
    const proves = { contents: "read", "id-token": "write" };
    expect(Object.fromEntries(rights)).toEqual({
      "audit.yml audit": read,
      "deploy-stage.yml deploy": proves,
      "deploy.yml prod": proves,
      "deploy.yml staging": proves,
      "deploy.yml test": read,
      "diff.yml diff": proves,
      "release.yml release": { contents: "write" },
      "release.yml test": read,
      "test.yml commits": read,
      "test.yml test": read,
    });
  });

  test("needs no stored secret, and gives forks nothing: no secrets, no pull_request_target", () => {
    expect(all).not.toMatch(/\bsecrets\b\s*(\.|:|\[)/);
    expect(all).not.toMatch(/pull_request_target|workflow_run/);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => step.with?.["persist-credentials"])).toEqual(checkouts.map(() => false));
  });

  test("ends some day, and one at a time", () => {
    for (const [, job] of jobs.filter(([, { uses }]) => !uses)) {
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(90);
    }
    // What is only called runs in its caller's group.
    const alone = Object.entries(workflows).filter(
      ([, workflow]) => Object.keys(workflow.on).join() !== "workflow_call",
    );
    expect(alone.map(([name]) => name)).not.toContain("deploy-stage.yml");
    expect(alone.filter(([, { concurrency }]) => !concurrency?.group)).toEqual([]);
    expect(workflows["deploy.yml"]?.concurrency).toEqual({ group: "deploy", "cancel-in-progress": false });
  });
});

describe("a deployment", () => {
  const deploy = workflows["deploy.yml"] ?? {};
  const job = workflows["deploy-stage.yml"]?.jobs.deploy ?? {};

  test("comes from main alone: after the tests to staging, and after staging to prod", () => {
    expect(deploy.on).toEqual({ push: { branches: ["main"] }, workflow_dispatch: null });
    expect(job.if).toBe("github.ref == 'refs/heads/main'");
    const order = Object.entries<Properties>(deploy.jobs).map(([name, { needs, with: given }]) => [name, needs, given]);
    expect(order).toEqual([
      ["test", undefined, undefined],
      ["staging", "test", { stage: "staging" }],
      ["prod", "staging", { stage: "prod" }],
    ]);
  });

  test("waits for whoever the stage's environment asks, and is then checked live, before the next stage", () => {
    expect(job.environment.name).toBe(variable("{ inputs.stage }"));
    const commands: string[] = job.steps.flatMap(({ run }: Properties) => run ?? []);
    const place = (part: string) => commands.findIndex((run) => run.includes(part));
    expect(place("npm run deploy")).toBeGreaterThan(-1);
    expect(place("npm run check:live")).toBeGreaterThan(place("npm run deploy"));
    expect(job.steps.filter((step: Properties) => step["continue-on-error"] || step.if)).toEqual([]);
  });

  test("that runs for a pull request as well would be noticed: those only test, audit and show a diff", () => {
    const ofPullRequests = names.filter((name) => "pull_request" in (workflows[name]?.on ?? {}));
    expect(ofPullRequests.sort()).toEqual(["audit.yml", "diff.yml", "test.yml"]);
    expect(texts["diff.yml"]).toContain("cdk diff --method=template");
  });
});

describe("the pipeline's roles", () => {
  const { Resources } = JSON.parse(text(".github/pipeline-role.json")) as { Resources: Record<string, Properties> };
  const trusted = (role: string) => {
    const [statement, ...others]: Properties[] = Resources[role]?.Properties.AssumeRolePolicyDocument.Statement ?? [];
    expect(others).toEqual([]);
    expect(statement?.Action).toBe("sts:AssumeRoleWithWebIdentity");
    return statement?.Condition;
  };
  const issuer = "token.actions.githubusercontent.com";
  const only = (subject: string) => ({
    StringEquals: { [`${issuer}:aud`]: "sts.amazonaws.com", [`${issuer}:sub`]: { "Fn::Sub": subject } },
  });
  const allowed = (role: string) =>
    Resources[role]?.Properties.Policies.flatMap(({ PolicyDocument }: Properties) =>
      PolicyDocument.Statement.flatMap(({ Action, Resource }: Properties) =>
        [Action]
          .flat()
          .flatMap((action: string) =>
            [Resource]
              .flat()
              .map((resource: Properties) => `${action} ${resource["Fn::Sub"].replace(/^.*?:{2}.*?}:/, "")}`),
          ),
      ),
    );

  test("trust one environment of one repository, or its pull requests, and nothing that begins like it", () => {
    expect(Object.keys(Resources)).toEqual(["Provider", "DeployRole", "DiffRole"]);
    expect(trusted("DeployRole")).toEqual(only(`repo:${variable("Repository")}:environment:${variable("Stage")}`));
    expect(trusted("DiffRole")).toEqual(only(`repo:${variable("Repository")}:pull_request`));
  });

  test("let pull requests read the template of staging, and nothing else", () => {
    expect(allowed("DiffRole").map((right: string) => right.split(" ")[0])).toEqual([
      "cloudformation:DescribeStacks",
      "cloudformation:GetTemplate",
    ]);
    for (const right of allowed("DiffRole")) {
      expect(right).toMatch(/:stack\/health-assistant-staging\/\*$/);
    }
  });

  test("deploy by the bootstrap's roles, and read the one key of the live check", () => {
    const rights: string[] = allowed("DeployRole");
    const suffix = `${variable("AWS::AccountId")}-${variable("AWS::Region")}`;
    expect(rights.map((right) => right.replace(/ .*:(role|secret)[/:]/, " "))).toEqual([
      `sts:AssumeRole cdk-${variable("Qualifier")}-deploy-role-${suffix}`,
      `sts:AssumeRole cdk-${variable("Qualifier")}-file-publishing-role-${suffix}`,
      "secretsmanager:GetSecretValue health-assistant/live-check-??????",
    ]);
    expect(texts["deploy-stage.yml"]).toContain("--secret-id health-assistant/live-check ");
  });
});

describe("a release", () => {
  const release = workflows["release.yml"] ?? {};

  test("is created for a version tag, once the tests have passed", () => {
    expect(release.on).toEqual({ push: { tags: ["v*"] } });
    expect(release.jobs.test.uses).toBe(`./${FOLDER}/test.yml`);
    expect(release.jobs.release.needs).toBe("test");
  });

  test("is on main and has the tag's version, or is not created", () => {
    const commands: string[] = release.jobs.release.steps.flatMap(({ run }: Properties) => run ?? []);
    expect(commands.map((run) => run.split(" ").slice(0, 3).join(" "))).toEqual([
      "git merge-base --is-ancestor",
      'node tools/release-notes.ts "$GITHUB_REF_NAME"',
      "gh release create",
    ]);
    expect(existsSync(join(ROOT, "tools/release-notes.ts"))).toBe(true);
    expect(release.jobs.release.steps.filter((step: Properties) => step["continue-on-error"] || step.if)).toEqual([]);
  });
});

test("the commits of a pull request are checked, and no others", () => {
  const {
    if: condition,
    steps: [checkout, , check],
  } = workflows["test.yml"]?.jobs.commits ?? {};
  expect(condition).toBe("github.event_name == 'pull_request'");
  expect(checkout.with).toMatchObject({ "fetch-depth": 0, ref: variable("{ github.event.pull_request.head.sha }") });
  expect(check.run).toBe('node tools/check-commits.ts "$BASE..HEAD"');
  expect(existsSync(join(ROOT, "tools/check-commits.ts"))).toBe(true);
});

test("updates are proposed weekly for packages and actions, when they have been out for a week", () => {
  const { updates } = parse(text(".github/dependabot.yml")) as { updates: Properties[] };
  expect(updates.map((update) => [update["package-ecosystem"], update.schedule.interval])).toEqual([
    ["npm", "weekly"],
    ["github-actions", "weekly"],
  ]);
  for (const { cooldown } of updates) {
    expect(cooldown).toEqual({ "default-days": 7 });
  }
});
