import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { SecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { askModel } from "../../../shared/model/assistant.ts";
import { ModelError } from "../../../shared/model/model-error.ts";
import type { TokenUsage } from "../../../shared/request/request-context.ts";
import { ANSWER, chunk, WIRE_FORMS, type WireForm } from "../../../tools/safety/wire-forms.ts";
import { KEY_SECRET, startModelEnvironment } from "../../helpers/model/model-environment.ts";
import { echo, type ScriptedModel, startScriptedModel } from "../../helpers/model/scripted-model.ts";

let secrets: SecretsServer;
let server: ScriptedModel;
beforeAll(async () => {
  secrets = await startModelEnvironment();
  server = await startScriptedModel();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => {
  server.stop();
  secrets.stop();
});

let models = 0;

const settings = (name: string) => ({
  name,
  baseUrl: server.baseUrl,
  reasoningEffort: undefined,
  promptCache: "off" as const,
  provider: { kind: "openai" as const, keySecret: KEY_SECRET },
});

/** Asks a model that nothing is known of. */
async function ask(form: WireForm, streamed: boolean, name = `model-${models++}`) {
  Object.assign(server, { script: () => ({ wire: form }), requests: [] });
  const said: string[] = [];
  const usages: TokenUsage[] = [];
  const alerts: unknown[] = [];
  const outcome = await askModel(settings(name), [{ role: "user", content: "hello" }], 5_000, {
    onText: streamed ? (text) => said.push(text) : undefined,
    onUsage: (usage) => usages.push(usage),
    onAlert: (alert) => alerts.push(alert),
  }).catch((error: unknown) => error);
  return { outcome, said: said.join(""), usages, alerts };
}

describe.each(["JSON", "a stream"])("in %s,", (medium) => {
  const streamed = medium === "a stream";

  test.each(WIRE_FORMS.map((form) => [`${form.name} (${form.server})`, form] as const))("%s", async (_, form) => {
    jest.spyOn(console, "warn").mockReturnValue();
    const { outcome, said, usages, alerts } = await ask(form, streamed);
    const { expected } = form;
    if ("answer" in expected) {
      expect(outcome).toBe(expected.answer);
      expect(said).toBe(streamed ? expected.answer : "");
      expect(usages).toMatchObject([form.estimated ? { estimated: true } : { inputTokens: 10, outputTokens: 5 }]);
    } else {
      const kind = [expected.failure].flat().at(streamed ? -1 : 0);
      expect(outcome).toBeInstanceOf(ModelError);
      expect(outcome).toMatchObject({ kind });
    }
    expect(said).not.toMatch(/level|user has/);
    expect(alerts).toEqual([]);
  });
});

const named = (name: string) => WIRE_FORMS.find((form) => form.name === name) as WireForm;

describe("parameters that a provider refuses", () => {
  test("are left out from then on, and each is in one warning", async () => {
    const warnings = jest.spyOn(console, "warn").mockReturnValue();
    const form = named("a refusal of store, max_completion_tokens: detail with loc");
    const requests: Record<string, unknown>[] = [];
    for (const streamed of [false, true, false]) {
      expect((await ask(form, streamed, "choosy")).outcome).toBe(ANSWER);
      requests.push(...server.requests.map(({ body }) => body));
    }
    expect(
      requests.map(({ store, max_completion_tokens, max_tokens }) => [store, max_completion_tokens, max_tokens]),
    ).toEqual([
      [false, 4096, undefined],
      [undefined, undefined, 4096],
      [undefined, undefined, 4096],
      [undefined, undefined, 4096],
    ]);
    expect(warnings.mock.calls.map(([line]) => line)).toMatchObject([
      { event: "model-parameter-rejected", parameter: "store" },
      { event: "model-parameter-rejected", parameter: "max_completion_tokens" },
    ]);
  });

  test("are asked for a few times at most", async () => {
    const form = { ...named("a refusal of store: param"), refuses: ["messages"] };
    const { outcome } = await ask(form, true);
    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(server.requests.length).toBeLessThan(4);
  });

  test("in words that repeat the request count only if the server says that it does not know them", async () => {
    const body = JSON.stringify({ error: { message: "The model has no store for this request." } });
    const { outcome } = await ask({ ...named("a refusal of store: param"), json: body, stream: body }, false);
    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(server.requests.map(({ body }) => body.store)).toEqual([false]);
  });
});

test("a caller who gives up while the client is created is not answered, and nothing is sent", async () => {
  const caller = new AbortController();
  Object.assign(server, { script: echo, requests: [] });
  const asked = askModel(settings("hasty"), [{ role: "user", content: "hello" }], 5_000, { signal: caller.signal });
  caller.abort();
  await expect(asked).rejects.toMatchObject({ kind: "timeout" });
  expect(server.requests).toEqual([]);
});

describe("a model that reasons without a mark at the beginning, in words that could be an answer,", () => {
  const form = (...contents: string[]): WireForm => ({
    ...named("think tags"),
    stream: [...contents.map((content) => chunk({ content })), chunk({}, "stop")].join(""),
  });
  const reasoning = form("Rest or not? I would say so.", "</think>Rest today.");
  const answered = { outcome: "Rest today.", said: "Rest today." };

  test("is not heard reasoning, the first time and later", async () => {
    expect(await ask(reasoning, true, "sly")).toMatchObject(answered);
    expect(await ask(reasoning, true, "sly")).toMatchObject(answered);
  });

  test("nor after structured output, which shows nothing of that", async () => {
    Object.assign(server, { script: () => ({ content: '{"level": "none"}' }) });
    const format = { name: "verdict", schema: { type: "object" } } as never;
    await askModel(settings("structured"), [{ role: "user", content: "hello" }], 5_000, { format });
    expect(await ask(reasoning, true, "structured")).toMatchObject(answered);
  });

  test("nor if its answer is cut before it has answered", async () => {
    const cut = { ...form(), stream: chunk({ content: "Rest or not? I would" }) + chunk({}, "length") };
    expect(await ask(cut, true, "cut")).toMatchObject({ outcome: { kind: "truncated", said: "" }, said: "" });
  });

  test("fails once if it has answered without reasoning before; then its words wait", async () => {
    expect(await ask(form("Rest ", "today."), true, "hybrid")).toMatchObject(answered);
    expect((await ask(reasoning, true, "hybrid")).outcome).toMatchObject({ kind: "malformed", said: "" });
    expect(await ask(reasoning, true, "hybrid")).toMatchObject(answered);
  });

  test("answers in one piece until it has answered without reasoning; then piece by piece", async () => {
    const pieces = async (name: string) => {
      Object.assign(server, { script: () => ({ wire: form("Rest today, ", "and drink. ".repeat(10), "Call.") }) });
      const said: string[] = [];
      const options = { onText: (text: string) => said.push(text), onUsage: () => {}, onAlert: () => {} };
      await askModel(settings(name), [{ role: "user", content: "hello" }], 5_000, options);
      return said.length;
    };
    expect(await pieces("new")).toBe(1);
    expect(await pieces("new")).toBeGreaterThan(1);
  });
});
