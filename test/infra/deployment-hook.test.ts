import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type LocalService, startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { ROUTES } from "../../tools/live-check/hook/invoke-fetch.ts";
import { planFor } from "../../tools/live-check/hook/plan.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { stageAssemblies } from "../helpers/template/stages.ts";

const gradual = [...Object.keys(ROUTES), "sweep-threads"];

/** The statuses reported to CodeDeploy, by deployment. */
const told: Record<string, string> = {};

let codeDeploy: Server;
let model: ScriptedModel;
let service: LocalService;
let dataDir: string;
let hook: string;
const logs: string[] = [];

beforeAll(async () => {
  const assembly = join(await stageAssemblies(), "staging");
  codeDeploy = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: the body of a CodeDeploy request
    const body = (await json(request)) as any;
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1);
    response.setHeader("content-type", "application/x-amz-json-1.1");
    if (operation === "GetDeployment") {
      response.end(JSON.stringify({ deploymentInfo: { deploymentGroupName: body.deploymentId } }));
    } else {
      told[body.deploymentId] = `${operation} ${body.lifecycleEventHookExecutionId} ${body.status}`;
      response.end(JSON.stringify({ lifecycleEventHookExecutionId: body.lifecycleEventHookExecutionId }));
    }
  });
  codeDeploy.listen(0, "127.0.0.1");
  await new Promise((resolve) => codeDeploy.once("listening", resolve));
  process.env.AWS_ENDPOINT_URL_CODEDEPLOY = `http://127.0.0.1:${(codeDeploy.address() as AddressInfo).port}`;
  model = await startScriptedModel();
  dataDir = mkdtempSync(join(tmpdir(), "hook-"));
  const settings = readSettings({
    ...{ PORT: "0", DATA_DIR: dataDir, API_KEY: "a-key" },
    ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "key-of-the-model" },
  });
  service = await startService(settings, assembly, { onRequest: () => {}, onLog: (line) => logs.push(line) });
  hook = [...service.template.functions.keys()].find((id) => id.startsWith("DeploymentHook")) ?? "";
  await putClients({ "live-check": "a-key" });
});
afterAll(async () => {
  delete process.env.AWS_ENDPOINT_URL_CODEDEPLOY;
  await service?.stop();
  model?.stop();
  codeDeploy?.close();
  codeDeploy?.closeAllConnections();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  model.script = echo;
});

/** Replaces the clients of the API in the local Secrets Manager. */
async function putClients(clients: Record<string, string>): Promise<void> {
  await fetch(service.apiKeys.endpoint, {
    method: "POST",
    headers: { "x-amz-target": "secretsmanager.PutSecretValue" },
    body: JSON.stringify({ SecretId: service.apiKeys.secretId, SecretString: JSON.stringify(clients) }),
  });
}

/** The hook's log lines about checks that could not run. */
const failures = () => logs.filter((line) => line.includes("deployment-check-failed"));

/** Calls the hook as CodeDeploy does for the deployment of a function. */
async function deploy(name: string) {
  delete told[name];
  const response = await fetch(`${service.lambdaEndpoint}/2015-03-31/functions/${hook}/invocations`, {
    method: "POST",
    body: JSON.stringify({ DeploymentId: name, LifecycleEventHookExecutionId: `execution-of-${name}` }),
  });
  return (await response.json()) as { passed: boolean; hold: number; broken: string[] };
}

describe("the hook, run against npm start,", () => {
  test.each(gradual)("passes a working version of %s", async (name) => {
    const { passed, hold, broken } = await deploy(name);
    expect({ passed, broken, failure: failures().at(-1) }).toEqual({ passed: true, broken: [], failure: undefined });
    expect(hold).toBeGreaterThanOrEqual(name === "sweep-threads" ? 1 : 5);
    expect(told[name]).toBe(`PutLifecycleEventHookExecutionStatus execution-of-${name} Succeeded`);
  });

  test("rejects a version whose chats fail and names the broken rules", async () => {
    model.script = () => ({ status: 401 });
    const { passed, broken } = await deploy("chat");
    expect(passed).toBe(false);
    expect(broken.join("\n")).toContain("POST /chat with a patientId: 200: expected status 200; got 500");
    expect(told.chat).toBe("PutLifecycleEventHookExecutionStatus execution-of-chat Failed");
  });

  test("calls the model only for chat", async () => {
    model.script = () => ({ status: 401 });
    expect((await deploy("get-thread")).passed).toBe(true);
  });

  test("fails for an unknown function, because nothing would be checked", async () => {
    expect((await deploy("no-such-function")).passed).toBe(false);
    expect(told["no-such-function"]).toMatch(/Failed$/);
  });
});

describe("the hook's rules", () => {
  test("cover every gradually deployed function except the sweep, at the paths of the API", () => {
    const expected = endpoints
      .filter((endpoint) => !endpoint.public)
      .map(({ name, method, path }) => [name, [method, path]]);
    expect(ROUTES).toEqual(Object.fromEntries(expected));
  });

  test.each(Object.keys(ROUTES))("for %s are its own rules and the rules that these depend on", (name) => {
    const { plan, own } = planFor(name);
    const names = plan.map(({ rule }) => rule.name);
    expect(names.filter(own).length).toBeGreaterThanOrEqual(6);
    const others = plan.filter(({ group, rule }) => !own(rule.name) && group !== "Thread lifecycle" && !rule.setup);
    expect(others.map(({ group }) => group)).toEqual(name === "delete-thread" ? [] : ["Cleanup"]);
  });
});
