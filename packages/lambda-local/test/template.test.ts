import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { readTemplate } from "../template.ts";

const folder = mkdtempSync(join(tmpdir(), "template-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the manifest of a cloud assembly, with or without a stack. */
function manifest(templateFile?: string): string {
  const stack = { type: "aws:cloudformation:stack", properties: { templateFile } };
  return JSON.stringify({ artifacts: { tree: { type: "cdk:tree" }, ...(templateFile && { stack }) } });
}

/** Reads a template of these resources. */
function read(resources: Record<string, unknown>) {
  writeFileSync(join(folder, "manifest.json"), manifest("some-stack.template.json"));
  writeFileSync(join(folder, "a-stage-before.template.json"), JSON.stringify({ Resources: {} }));
  writeFileSync(join(folder, "some-stack.template.json"), JSON.stringify({ Resources: resources }));
  return readTemplate(folder);
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
