import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { contextOf, readTemplate } from "../../../local/template.ts";
import { endpoints } from "../../../shared/openapi/registry.ts";

const folder = mkdtempSync(join(tmpdir(), "template-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the manifest of a cloud assembly, with or without a stack. */
function manifest(templateFile?: string): string {
  const stack = { type: "aws:cloudformation:stack", properties: { templateFile } };
  return JSON.stringify({ artifacts: { tree: { type: "cdk:tree" }, ...(templateFile && { stack }) } });
}

/** Reads a template of these resources. */
function read(resources: Record<string, unknown>, corsOrigin?: string) {
  writeFileSync(join(folder, "manifest.json"), manifest("some-stack.template.json"));
  writeFileSync(join(folder, "a-stage-before.template.json"), JSON.stringify({ Resources: {} }));
  writeFileSync(join(folder, "some-stack.template.json"), JSON.stringify({ Resources: resources }));
  return readTemplate(folder, corsOrigin);
}

const someFunction = {
  Type: "AWS::Lambda::Function",
  Properties: { Handler: "index.handler", Timeout: 20, MemorySize: 256 },
  Metadata: { "aws:asset:path": "asset.1" },
};

/** A function with one environment variable of this value. */
const withVariable = (value: unknown) => ({
  Function: {
    ...someFunction,
    Properties: { ...someFunction.Properties, Environment: { Variables: { NAME: value } } },
  },
});

test("one template serves every origin of CORS_ORIGIN; none and * have their own", () => {
  const origins = ["https://app.example.test", "http://localhost:5173", "*", undefined];
  const [app, other, any, none] = origins.map((corsOrigin) => contextOf({ corsOrigin, chatConcurrency: undefined }));
  expect(app).toEqual(other);
  expect([any, none]).toEqual([{ ...none, corsOrigin: "*" }, { reserveConcurrency: "true" }]);
  const { functions } = read(withVariable(app?.corsOrigin), "http://localhost:5173");
  expect(functions.get("Function")?.environment).toEqual({ NAME: "http://localhost:5173" });
});

test("CHAT_CONCURRENCY is the stage's setting, and limits each function although dev reserves nothing", () => {
  const context = contextOf({ corsOrigin: undefined, chatConcurrency: 50 });
  expect(context).toEqual({ chatConcurrency: "50", reserveConcurrency: "true" });
});

describe("the synthesized stack", () => {
  const { stageName, routes, functions, schedules, tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const chat = routes.find(({ path }) => path === "/chat");
  const { environment, ...settings } = functions.get(chat?.functionId ?? "") ?? {};

  test("is read with its stage, the sweep, and a function with code for each route", () => {
    expect(stageName).toBe("v1");
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [
        ...new Set(endpoints.map(({ path }) => `ANY ${path}`)),
        ...["DELETE /patients/{id}", "DELETE /threads/{id}", "PATCH /patients/{id}", "POST /threads/{id}/messages"],
      ].sort(),
    );
    expect(schedules).toEqual([
      {
        functionId: expect.stringContaining("Sweep"),
        inputs: [0, 1, 2, 3, 4].map((part) => ({ part, parts: 5 })),
        expression: "cron(0/10 * * * ? *)",
      },
      { functionId: expect.stringContaining("Delivery"), inputs: [undefined], expression: "cron(0/1 * * * ? *)" },
    ]);
    const called = [...routes, ...schedules].map(({ functionId }) => functionId);
    expect([...new Set(called)].sort()).toEqual([...functions.keys()].sort());
    expect(settings).toMatchObject({
      handler: "index.handler",
      timeoutSeconds: 28,
      memoryMegabytes: 256,
      logFormat: "JSON",
    });
    for (const { codePath } of functions.values()) {
      expect(isAbsolute(codePath)).toBe(true);
      expect(existsSync(join(codePath, "index.mjs"))).toBe(true);
    }
  });

  test("names tables by their logical ids, both in variables and in definitions", () => {
    const { THREADS_TABLE = "", PATIENTS_TABLE = "", THREAD_IDLE_SECONDS } = environment ?? {};
    expect(THREAD_IDLE_SECONDS).toBe("1800");
    const ttls = new Map(tables.map(({ definition, ttlAttribute }) => [definition.TableName, ttlAttribute]));
    const named = [...functions.values()].flatMap(({ environment: all }) =>
      Object.entries(all).flatMap(([name, value]) => (name.endsWith("_TABLE") ? [value] : [])),
    );
    expect(new Set(ttls.keys())).toEqual(new Set(named));
    expect([ttls.get(THREADS_TABLE), ttls.get(PATIENTS_TABLE)]).toEqual(["ttl", "erasureEndsAt"]);
  });
});

describe("a template", () => {
  test("must exist in the folder", () => {
    const empty = mkdtempSync(join(tmpdir(), "template-"));
    writeFileSync(join(empty, "manifest.json"), manifest());
    expect(() => readTemplate(empty)).toThrow(`There is no synthesized stack in ${empty}.`);
    rmSync(empty, { recursive: true });
  });

  /** A method and a schedule that call the referenced resource. */
  const callersOf = (reference: unknown) => ({
    Method: {
      Type: "AWS::ApiGateway::Method",
      Properties: {
        HttpMethod: "GET",
        ResourceId: { Ref: "Api" },
        Integration: {
          Uri: { "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, ":lambda:path/", reference, "/invocations"]] },
        },
      },
    },
    Rule: {
      Type: "AWS::Events::Rule",
      Properties: { ScheduleExpression: "cron(0/10 * * * ? *)", Targets: [{ Arn: reference }] },
    },
  });

  test("with a method or a schedule that calls anything else is rejected", () => {
    const { Method, Rule } = callersOf({ Ref: "Queue" });
    const Queue = { Type: "AWS::SQS::Queue" };
    expect(() => read({ Queue, Method })).toThrow("The local service knows no integration but a Lambda function");
    expect(() => read({ Queue, Rule })).toThrow(
      'The local service knows no target of a schedule or a stream but a Lambda function: {"Ref":"Queue"}.',
    );
  });

  test.each([{ "Fn::Sub": "a-sentence-with-names" }])(
    "with an unknown intrinsic is rejected with an error that quotes it: %j",
    (value) => {
      expect(() => read(withVariable(value))).toThrow(
        `The local service cannot resolve ${JSON.stringify(value)} of the template.`,
      );
    },
  );
});
