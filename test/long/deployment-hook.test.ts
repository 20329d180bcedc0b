import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, json, text } from "node:stream/consumers";
import { TooManyRequestsException } from "@aws-sdk/client-lambda";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { BUSY, checkRun } from "../../infra/deployment-hook/check-run.ts";
import type { CheckResult, Version } from "../../infra/deployment-hook/judge.ts";
import { type LocalService, startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { CREDENTIALS, documentClient, REGION } from "../../packages/lambda-local/database.ts";
import { type Listening, listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { stageAssemblies } from "../helpers/template/stages.ts";

const checked = [...new Set(endpoints.filter((endpoint) => !endpoint.public).map(functionOf))];
const SWEEP = "sweep-threads";
/** The functions that no caller waits for. */
const RUNS = [SWEEP, "deliver-events"];

/** How often all hooks run at once. Each time, they have other timings. */
const ROUNDS = Number(process.env.HOOK_ROUNDS ?? 2);

/** Lambda's response to an invocation. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}
/** Changes responses of one version of a function, `undefined` for none. */
type Alteration = (functionName: string, version: Version, count: number) => Partial<Answer> | undefined;

let service: LocalService;
let model: ScriptedModel;
let codeDeploy: Listening;
let lambda: Listening;
let dataDir: string;
let hook: { codePath: string; environment: Record<string, string> };

/** The statuses reported to CodeDeploy, by deployment. */
let told: Record<string, string> = {};
/** The number of invocations by function and version, and what is changed in their responses. */
let invoked: Record<string, number> = {};
let alter: Alteration;

beforeAll(async () => {
  model = await startScriptedModel();
  dataDir = mkdtempSync(join(tmpdir(), "hook-"));
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    API_KEY: "a-key",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "key-of-the-model",
  });
  const assembly = join(await stageAssemblies(), "staging");
  service = await startService(settings, assembly, { onRequest: () => {}, onLog: () => {} });
  const [, template] = [...service.template.functions].find(([id]) => id.startsWith("DeploymentHook")) ?? [];
  hook = template as typeof hook;
  await putClients({ "live-check": "a-key" });
  codeDeploy = await listenOnLoopback(startCodeDeploy());
  lambda = await listenOnLoopback(startLambda());
});
afterAll(async () => {
  await service?.stop();
  model?.stop();
  codeDeploy?.stop();
  lambda?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  model.script = echo;
  alter = () => undefined;
  told = {};
  invoked = {};
});

/** CodeDeploy, whose deployments are called as their functions, or `<function> <creator>`. */
function startCodeDeploy(): Server {
  return createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, string>;
    const [deploymentGroupName, creator] = String(body.deploymentId).split(" ");
    response.setHeader("content-type", "application/x-amz-json-1.1");
    if (String(request.headers["x-amz-target"]).endsWith(".GetDeployment")) {
      response.end(JSON.stringify({ deploymentInfo: { deploymentGroupName, creator } }));
    } else {
      told[String(body.deploymentId)] = `${body.lifecycleEventHookExecutionId} ${body.status}`;
      response.end("{}");
    }
  });
}

/** The local Lambda, which has one version of each function, behind a proxy that makes two of it. */
function startLambda(): Server {
  const names = Object.fromEntries(
    [...checked, ...RUNS].map((name) => [
      hook.environment[`FUNCTION_${name.toUpperCase().replaceAll("-", "_")}`],
      name,
    ]),
  );
  return createServer(async (request, response) => {
    const url = new URL(request.url ?? "", service.lambdaEndpoint);
    const name = names[url.pathname.split("/")[3] ?? ""] ?? "";
    const version = url.searchParams.get("Qualifier") === "live" ? "live" : "new";
    const body = await buffer(request);
    const count = (invoked[`${name} ${version}`] ?? 0) + 1;
    invoked[`${name} ${version}`] = count;
    let answer = alter(name, version, count);
    if (!answer?.status) {
      const real = await fetch(url, { method: "POST", body: new Uint8Array(body) }).catch(() => undefined);
      if (!real) {
        response.destroy(); // an invocation by a killed hook, which ends with the service
        return;
      }
      answer = {
        status: real.status,
        headers: Object.fromEntries(real.headers),
        body: Buffer.from(await real.arrayBuffer()),
        ...answer,
      };
    }
    const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers ?? {};
    response.writeHead(answer.status ?? 200, headers).end(answer.body);
  });
}

/** Replaces the clients of the API in the local Secrets Manager. */
async function putClients(clients: Record<string, string>): Promise<void> {
  await fetch(service.apiKeys.endpoint, {
    method: "POST",
    headers: { "x-amz-target": "secretsmanager.PutSecretValue" },
    body: JSON.stringify({ SecretId: service.apiKeys.secretId, SecretString: JSON.stringify(clients) }),
  });
}

/** Starts the bundled hook in a process, and calls it for all of these deployments at the same time. */
function startHooks(deployments: string[], milliseconds: number): ChildProcessWithoutNullStreams {
  const program = `
    import { handler } from ${JSON.stringify(join(hook.codePath, "index.mjs"))};
    const context = { getRemainingTimeInMillis: () => ${milliseconds} };
    const results = ${JSON.stringify(deployments)}.map((id) =>
      handler({ DeploymentId: id, LifecycleEventHookExecutionId: "execution-of-" + id }, context));
    process.stdout.write("\\nRESULTS" + JSON.stringify(await Promise.all(results)));
    process.exit();`;
  const env = {
    PATH: process.env.PATH,
    ...hook.environment,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_CODEDEPLOY: codeDeploy.origin,
    AWS_ENDPOINT_URL_LAMBDA: lambda.origin,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: service.apiKeys.endpoint,
  };
  return spawn(process.execPath, ["--input-type=module", "--eval", program], { env });
}

async function deploy(...deployments: string[]): Promise<(CheckResult & { deployment: string })[]> {
  return deployWithin(900_000, ...deployments);
}

/** Deploys with hooks whose invocations end after this time. */
async function deployWithin(
  milliseconds: number,
  ...deployments: string[]
): Promise<(CheckResult & { deployment: string })[]> {
  const child = startHooks(deployments, milliseconds);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [logs = "", results = errors] = output.split("\nRESULTS");
  for (const secret of ["a-key", "Live Check (", '"+1', "(0"]) {
    expect(logs + errors).not.toContain(secret);
  }
  return (JSON.parse(results) as CheckResult[]).map((result, index) => ({
    deployment: deployments[index] ?? "",
    ...result,
  }));
}

/** The number of synthetic patients in the database. */
async function patientsLeft(): Promise<number> {
  const environments = [...service.template.functions.values()].map(({ environment }) => environment);
  const TableName = environments.map(({ PATIENTS_TABLE }) => PATIENTS_TABLE).find(Boolean);
  const { Items = [] } = await documentClient(service.dynamoDbEndpoint).send(new ScanCommand({ TableName }));
  return Items.filter(({ name }) => String(name).startsWith("Live Check")).length;
}

/** The response of a function that fails, as Lambda returns it. */
const failing = (statusCode: number) => ({
  body: Buffer.from(JSON.stringify({ statusCode, headers: { "content-type": "application/json" }, body: "{}" })),
});

describe("all hooks at once", () => {
  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    "pass working versions, and erase what they created: round %d",
    async () => {
      const before = await patientsLeft();
      const results = await deploy(...checked, ...RUNS);
      expect(results.filter(({ passed, broken }) => !passed || broken.length > 0)).toEqual([]);
      expect(results.filter(({ brokenBefore }) => brokenBefore.length > 0)).toEqual([]);
      expect(results.filter(({ deployment, held }) => held < (RUNS.includes(deployment) ? 1 : 3))).toEqual([]);
      expect(told).toEqual(
        Object.fromEntries([...checked, ...RUNS].map((name) => [name, `execution-of-${name} Succeeded`])),
      );
      expect(await patientsLeft()).toBe(before);
    },
  );

  test("of two deployments at the same time pass", async () => {
    const results = await deploy(...checked, ...checked.map((name) => `${name} user`));
    expect(results.filter(({ passed, brokenBefore }) => !passed || brokenBefore.length > 0)).toEqual([]);
  });
});

describe("a hook", () => {
  test("that is killed leaves nothing that disturbs the next one", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    model.script = (request) => {
      if (JSON.stringify(request).includes("synthetic record of the live check")) {
        resolve();
        return { hang: true };
      }
      return echo(request);
    };
    const before = await patientsLeft();
    const child = startHooks(["chat"], 900_000);
    await asked;
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await patientsLeft()).toBe(before + 1);
    model.script = echo;
    const results = await deploy("chat", "create-patient", "update-patient");
    expect(results).toEqual(results.map((result) => ({ ...result, passed: true, broken: [], brokenBefore: [] })));
    expect(await patientsLeft()).toBe(before + 1);
  });

  test("calls the model only for chats", async () => {
    model.requests.length = 0;
    await deploy(...checked.filter((name) => !["chat", "openai"].includes(name)));
    expect(model.requests).toHaveLength(0);
    await deploy("chat");
    expect(model.requests).toHaveLength(3);
  });

  test("calls only the functions that the rules need, and one at a time", async () => {
    await deploy("get-patient");
    expect(Object.keys(invoked).sort()).toEqual(["create-patient live", "delete-patient live", "get-patient new"]);
  });

  test.each([
    ["returns an unexpected status", failing(500), "got 500"],
    ["crashes", { headers: { "x-amz-function-error": "Unhandled" }, body: Buffer.from("{}") }, "got 502"],
  ])("stops a version that %s where the previous one does not", async (_, answer, fault) => {
    alter = (name, version) => (name === "get-patient" && version === "new" ? answer : undefined);
    const [result] = await deploy("get-patient");
    expect(result).toMatchObject({ passed: false, brokenBefore: [] });
    const rule = `GET /patients/{id} without a key: 401: expected status 401; ${fault} (x-request-id: live-check-`;
    expect(result?.broken).toContainEqual(expect.stringContaining(rule));
    expect(told["get-patient"]).toBe("execution-of-get-patient Failed");
    // A third crash would set off the alarm of a function that no caller uses yet.
    expect(fault === "got 502" ? invoked["get-patient new"] : 2).toBe(2);
  });

  test("passes a version during an outage of the model, which the previous one fails too", async () => {
    model.script = () => ({ status: 401 });
    const [result] = await deploy("chat");
    expect(result).toMatchObject({ passed: true, broken: [] });
    expect(result?.brokenBefore.join("\n")).toContain(
      "POST /chat on a thread: 200 with threadId and messageCount: expected status 200; got 500",
    );
    expect(told.chat).toMatch(/Succeeded$/);
  });

  test("stops a version that breaks more than the outage does", async () => {
    model.script = () => ({ status: 401 });
    alter = (name, version, count) =>
      name === "chat" && version === "new" && count % 2 === 0 ? failing(418) : undefined;
    const [result] = await deploy("chat");
    expect(result?.passed).toBe(false);
    expect(result?.broken.join("\n")).toContain("got 418");
    expect(result?.brokenBefore.join("\n")).toContain("POST /chat on a thread: 200");
  });

  const throttled = {
    status: 429,
    headers: { "x-amzn-errortype": "TooManyRequestsException" },
    body: Buffer.from("{}"),
  };
  const hiccup: Alteration = (name, version, count) =>
    name === "get-thread" && version === "new" && count === 3 ? failing(500) : undefined;
  const usedUp: Alteration = (name, _, count) => (name === "create-thread" && count % 5 > 0 ? throttled : undefined);

  test.each([
    ["is not stopped by a single hiccup", "get-thread", hiccup],
    ["waits while a function's concurrency is used up", "delete-thread", usedUp],
  ])("%s", async (_, deployed, alteration) => {
    alter = alteration;
    expect(await deploy(deployed)).toMatchObject([{ passed: true, broken: [], brokenBefore: [] }]);
  });

  test.each(["CloudFormationRollback", "codeDeployRollback"])("never stops a rollback (%s)", async (creator) => {
    alter = () => failing(500);
    const names = ["chat", SWEEP].map((name) => `${name} ${creator}`);
    expect(await deploy(...names)).toMatchObject(names.map(() => ({ passed: true, held: 0 })));
    expect(told).toEqual(Object.fromEntries(names.map((name) => [name, `execution-of-${name} Succeeded`])));
    expect(invoked).toEqual({});
  });

  test("checks nothing in the last minute of its invocation, but reports the failure", async () => {
    expect(await deployWithin(60_000, "get-thread")).toMatchObject([{ passed: false, held: 0 }]);
    expect(told["get-thread"]).toMatch(/Failed$/);
  });

  test("fails for an unknown function, because nothing would be checked", async () => {
    expect(await deploy("no-such-function")).toMatchObject([{ passed: false }]);
    expect(told["no-such-function"]).toMatch(/Failed$/);
  });

  test("uses the key of a new stack's client, and says which clients it needs if there is neither", async () => {
    await putClients({ default: "a-key" });
    expect(await deploy("get-thread")).toMatchObject([{ passed: true }]);
    await putClients({ clinic: "another-key" });
    const broken = ["there is no client live-check or default with a key"];
    expect(await deploy("get-thread")).toMatchObject([{ passed: false, broken }]);
    await putClients({ "live-check": "a-key" });
  });
});

describe("the sweep's hook", () => {
  const deadline = new AbortController().signal;
  const busy = { ...BUSY, pauseMilliseconds: 0 };
  const throttled = () => new TooManyRequestsException({ message: "", $metadata: {} });

  test("waits for a scheduled sweep for as long as one can take", async () => {
    let tries = 0;
    const invoke = async () => {
      if (++tries < BUSY.tries) {
        throw throttled();
      }
    };
    expect(await checkRun("a sweep succeeds", invoke, deadline, { busy })).toMatchObject({ passed: true });
    const sweep = [...service.template.functions.values()].find(({ name }) => name.includes("Sweep"));
    const waits = ((BUSY.tries - 1) * BUSY.pauseMilliseconds) / 1_000;
    expect(waits).toBeGreaterThan(sweep?.timeoutSeconds ?? Number.POSITIVE_INFINITY);
    expect(waits).toBeLessThan((hook as unknown as { timeoutSeconds: number }).timeoutSeconds - 180);
  });

  test("gives up on a sweep that stays busy after these tries, of both versions", async () => {
    let tries = 0;
    const invoke = async () => {
      tries++;
      throw throttled();
    };
    const brokenBefore = ["a sweep succeeds: TooManyRequestsException"];
    expect(await checkRun("a sweep succeeds", invoke, deadline, { busy })).toMatchObject({ broken: [], brokenBefore });
    expect(tries).toBe(2 * BUSY.tries);
  });

  test("passes a sweep that is still removing threads after a while", async () => {
    const invoke = (_: Version, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    expect(await checkRun("a sweep succeeds", invoke, deadline, { busy, longEnoughMilliseconds: 1 })).toMatchObject({
      passed: true,
    });
  });

  test("stops a sweep that fails where the previous one does not", async () => {
    const invoke = async (version: Version) => {
      if (version === "new") {
        throw new TypeError();
      }
    };
    const broken = ["a sweep succeeds: TypeError"];
    expect(await checkRun("a sweep succeeds", invoke, deadline, { busy })).toMatchObject({ passed: false, broken });
  });

  test("ends in time to report, even if a sweep is always in progress", async () => {
    const abort = new AbortController();
    const invoke = async () => {
      abort.abort(new Error("out of time"));
      throw throttled();
    };
    await expect(checkRun("a sweep succeeds", invoke, abort.signal, { busy })).rejects.toThrow("out of time");
  });
});
