import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { installFromPyPi } from "../../tools/pypi.ts";
import { echo, noDanger, type ScriptedModel, startScriptedModel } from "../helpers/model/scripted-model.ts";
import { EMERGENCY_TEXT } from "../helpers/safety-messages.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

/** A gateway to models that many deployments use; this service's requests and its model's answers pass through it. */
const LITELLM = "litellm[proxy]==1.108.7";

const CALM = "How far should I walk every day?";
const ALARM = "I have crushing chest pain and my left arm is numb";

/** Models by name: `through` leads to the scripted model, and all others answer by themselves. */
const modelsOf = (baseUrl: string) => ({
  through: { model: "openai/any", api_base: baseUrl },
  mock: { model: "openai/any", mock_response: "Walk half an hour a day." },
  limited: { model: "openai/any", mock_response: "litellm.RateLimitError" },
  strict: { model: "mistral/mistral-small-latest", mock_response: "Walk half an hour a day." },
  dropping: { model: "mistral/mistral-small-latest", mock_response: "Walk half an hour a day.", drop_params: true },
});

/** Nothing of it may leave this machine. */
const OFFLINE = {
  LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
  LITELLM_TELEMETRY: "False",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  DISABLE_ADMIN_UI: "true",
};

let scripted: ScriptedModel;
let proxy: ChildProcess | undefined;
let missing: string | undefined;
let baseUrl: string;
const folder = mkdtempSync(join(tmpdir(), "litellm-"));
const services = new Map<string, TestService>();

beforeAll(async () => {
  // It takes a minute or two to install.
  const skipped = { missing: "REAL_SERVERS is 0" };
  const installed = process.env.REAL_SERVERS === "0" ? skipped : await installFromPyPi(LITELLM, "litellm");
  if ("missing" in installed) {
    missing = installed.missing;
    process.stderr.write(`Skipped: ${missing}.\n`);
    return;
  }
  scripted = await startScriptedModel();
  const config = join(folder, "config.yaml");
  const models = Object.entries(modelsOf(scripted.baseUrl)).map(([model_name, parameters]) => ({
    model_name,
    litellm_params: { ...parameters, api_key: "key", max_retries: 0 },
  }));
  writeFileSync(
    config,
    JSON.stringify({ model_list: models, router_settings: { num_retries: 0, disable_cooldowns: true } }),
  );
  const port = await freePort();
  const { PATH = "", HOME = "" } = process.env;
  proxy = spawn(installed.program, ["--config", config, "--host", "127.0.0.1", "--port", String(port)], {
    env: { PATH, HOME, ...OFFLINE },
    stdio: "ignore",
  });
  baseUrl = `http://127.0.0.1:${port}/v1`;
  await untilAlive(`http://127.0.0.1:${port}/health/liveliness`);
}, 600_000);

afterEach(() => {
  if (scripted) {
    Object.assign(scripted, { script: echo, verdict: noDanger });
  }
});

afterAll(async () => {
  for (const service of services.values()) {
    await service.stop();
  }
  if (proxy) {
    proxy.kill();
    await once(proxy, "exit");
  }
  scripted?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = await listenOnLoopback(createServer());
  server.stop();
  return Number(new URL(server.origin).port);
}

async function untilAlive(url: string): Promise<void> {
  for (;;) {
    if (proxy?.exitCode !== null) {
      throw new Error("LiteLLM's proxy did not start");
    }
    const alive = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (alive) {
      return;
    }
    await setTimeout(500);
  }
}

/** Returns a service whose model is one of the proxy's. */
async function serviceOn(model: string): Promise<TestService> {
  const known = services.get(model);
  const service = known ?? (await startTestService({ OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: model }));
  services.set(model, service);
  return service;
}

/** Declares a test that passes without having run where LiteLLM cannot be installed. */
function testOn(model: string, name: string, body: (service: TestService) => Promise<void>): void {
  test(name, async () => {
    if (missing === undefined) {
      await body(await serviceOn(model));
    }
  });
}

const streamed = async (service: TestService, message: string, threadId: string) =>
  (await openStream(service, { message, threadId })).rest();
const answersOf = async (service: TestService, threadId: string): Promise<string[]> =>
  (await service.call("GET", `/threads/${threadId}/messages`)).body.messages
    .filter(({ role }: { role: string }) => role === "assistant")
    .map(({ content }: { content: string }) => content);

describe("through LiteLLM's proxy", () => {
  testOn("through", "a conversation of ten turns reaches the model with all that was said", async (service) => {
    const threadId = await service.newThread();
    for (let turn = 0; turn < 10; turn++) {
      const message = `What about day ${turn}?`;
      if (turn % 2 === 0) {
        const { body } = await service.chat({ message, threadId });
        expect(body).toMatchObject({ response: `answer to: ${message}`, messageCount: 2 * turn + 2 });
      } else {
        expect(textOf(await streamed(service, message, threadId))).toBe(`answer to: ${message}`);
      }
    }
    const sent = scripted.requests.at(-1)?.body.messages ?? [];
    expect(sent.filter(({ role }) => role !== "system")).toHaveLength(19);
  });

  testOn("through", "what it sends after a cut upstream is never taken for a whole answer", async (service) => {
    scripted.script = () => ({ content: "Never take it together with", breakAfter: 3 });
    const threadId = await service.newThread();
    const events = await streamed(service, ALARM, threadId);
    expect(events.at(-1)).toMatchObject({ event: "done" });
    expect(textOf(events)).toMatch(EMERGENCY_TEXT);
    const { status, body } = await service.chat({ message: ALARM, threadId });
    expect([status, body.response]).toEqual([200, expect.stringMatching(EMERGENCY_TEXT)]);
    for (const answer of await answersOf(service, threadId)) {
      expect(answer).toMatch(/The rest of this answer could not be given\.$|^(?!.*Never take)/s);
    }
    const calm = await service.newThread();
    expect((await streamed(service, CALM, calm)).at(-1)?.event).toBe("error");
    expect((await service.chat({ message: CALM, threadId: calm })).status).toBe(500);
    expect(await answersOf(service, calm)).toEqual([]);
  });

  testOn("through", "errors of the model behind it are failures, and somebody in danger is told", async (service) => {
    for (const status of [400, 401, 404, 429, 500, 503]) {
      scripted.script = () => ({ status, body: { error: { message: "no", type: "error", code: String(status) } } });
      const threadId = await service.newThread();
      const calm = await service.chat({ message: CALM, threadId });
      expect([status, calm.status, calm.headers.get("x-help-lines")]).toEqual([status, 500, expect.any(String)]);
      const told = await service.chat({ message: ALARM, threadId });
      expect([told.status, told.body.response]).toEqual([200, expect.stringMatching(EMERGENCY_TEXT)]);
      expect(await answersOf(service, threadId)).toEqual([told.body.response]);
    }
  });

  testOn("mock", "its mock answers are read, as JSON and as a stream", async (service) => {
    expect((await service.chat({ message: CALM })).body.response).toBe("Walk half an hour a day.");
    expect(textOf(await service.stream({ message: CALM }))).toBe("Walk half an hour a day.");
  });

  testOn("limited", "its own limits are failures, and somebody in danger is told", async (service) => {
    expect((await service.chat({ message: CALM })).status).toBe(500);
    expect((await service.chat({ message: ALARM })).body.response).toMatch(EMERGENCY_TEXT);
  });

  test.each(["strict", "dropping"])(
    "parameters that the model behind it does not know are left out (%s)",
    async (model) => {
      if (missing !== undefined) {
        return;
      }
      const service = await serviceOn(model);
      const threadId = await service.newThread();
      expect((await service.chat({ message: CALM, threadId })).body.response).toBe("Walk half an hour a day.");
      expect(textOf(await streamed(service, CALM, threadId))).toBe("Walk half an hour a day.");
      const warnings = service.logs.filter((line) => line.includes("model-parameter-rejected"));
      expect(warnings.length > 0).toBe(model === "strict");
    },
  );
});
