import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import type { Node } from "constructs";
import { readTemplate } from "../../infra/local/template.ts";
import { readSettings } from "../../infra/settings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads what an operator gave by `-c name=value`. */
function settingsOf(context: Record<string, unknown>) {
  return readSettings({ tryGetContext: (name: string) => context[name] } as Node);
}

/**
 * Runs the CDK app once for each stage, as `cdk synth -c stage=…` does, in one process: most of a run is loading the CDK.
 *
 * @returns the names of the stacks by stage
 */
async function stacksOf(stages: string[]): Promise<Record<string, string[]>> {
  const script = `for (const stage of ${JSON.stringify(stages)}) {
    process.env.CDK_CONTEXT_JSON = JSON.stringify({ stage });
    process.env.CDK_OUTDIR = ${JSON.stringify(folder)} + "/" + stage;
    await import("./infra/app.ts?" + stage);
  }`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { cwd: ROOT });
  const suffix = ".template.json";
  const stacks = (stage: string) => readdirSync(join(folder, stage)).filter((name) => name.endsWith(suffix));
  return Object.fromEntries(stages.map((stage) => [stage, stacks(stage).map((name) => name.slice(0, -suffix.length))]));
}

describe("the stage", () => {
  test("gives the stack its name, so that stages can stand side by side", async () => {
    expect(await stacksOf(["dev", "staging", "prod"])).toEqual({
      dev: ["health-assistant-dev"],
      staging: ["health-assistant-staging"],
      prod: ["health-assistant-prod"],
    });
  });

  test("is dev when none is named", () => {
    expect(settingsOf({}).stage).toBe("dev");
    expect(readdirSync(process.env.TEST_CLOUD_ASSEMBLY ?? "")).toContain("health-assistant-dev.template.json");
  });

  test.each(["dev", "staging", "prod"])("may be %s", (stage) => {
    expect(settingsOf({ stage }).stage).toBe(stage);
  });

  test.each(["production", "Prod", "", "dev ", "toString"])("%j is refused in one sentence", (stage) => {
    expect(() => settingsOf({ stage })).toThrow(
      new Error(`The context value stage is "${stage}"; it must be one of dev, staging, prod.`),
    );
  });

  test("that is unknown makes no stack", async () => {
    await expect(stacksOf(["production"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The context value stage is "production"; it must be one of dev, staging, prod.'),
    });
  });
});

describe("the model", () => {
  test("is one of OpenAI's by default", () => {
    expect(settingsOf({})).toMatchObject({ model: expect.stringMatching(/./), modelBaseUrl: "" });
  });

  test("and its provider are what the operator says", () => {
    const given = { model: "some-model", modelBaseUrl: "https://models.example.test/v1" };
    expect(settingsOf(given)).toMatchObject(given);
  });
});

describe("the playground", () => {
  const synthesized = async (context: Record<string, unknown>) => {
    const output = mkdtempSync(join(folder, "playground-"));
    const json = JSON.stringify({ "aws:cdk:enable-asset-metadata": true, ...context });
    const env = { ...process.env, CDK_CONTEXT_JSON: json, CDK_OUTDIR: output };
    await promisify(execFile)(process.execPath, ["infra/app.ts"], { cwd: ROOT, env });
    return readTemplate(output);
  };

  test("is a public page on the stage dev, when asked for", async () => {
    const template = await synthesized({ stage: "dev", playground: "true" });
    const route = template.routes.find(({ path }) => path === "/playground");
    expect(route).toMatchObject({ method: "GET", streams: true });
    expect(template.functions.get(route?.functionId ?? "")?.environment).toEqual({});
  });

  test.each([{}, { playground: "false" }, { playground: false }])("is not there otherwise: %j", (context) => {
    expect(settingsOf(context).playground).toBe(false);
  });

  test.each(["staging", "prod"])("is refused on %s, in one sentence", (stage) => {
    expect(() => settingsOf({ stage, playground: "true" })).toThrow(
      new Error(`The context value playground is true; only the stage dev may have it, and this is ${stage}.`),
    );
  });

  test.each(["yes", "", "1"])("is true or false: %j", (playground) => {
    expect(() => settingsOf({ playground })).toThrow(
      new Error(`The context value playground is "${playground}"; it must be true or false.`),
    );
  });
});
