import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import type { Node } from "constructs";
import { readSettings, SettingError } from "../../infra/settings.ts";
import { readTemplate } from "../../local/template.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads what an operator gave by `-c name=value`. */
function settingsOf(context: Record<string, unknown>) {
  return readSettings({ tryGetContext: (name: string) => context[name] } as Node);
}

/** Runs the CDK app as `cdk synth -c …` does. */
function runApp(context: Record<string, string>) {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_OUTDIR: folder };
  return promisify(execFile)(process.execPath, ["infra/app.ts"], { cwd: ROOT, env });
}

describe("the stage", () => {
  test("is dev when none is named", () => {
    expect(settingsOf({}).stage).toBe("dev");
    expect(readdirSync(process.env.TEST_CLOUD_ASSEMBLY ?? "")).toContain("health-assistant-dev.template.json");
  });

  test.each(["dev", "staging", "prod"])("may be %s", (stage) => {
    expect(settingsOf({ stage }).stage).toBe(stage);
  });

  test.each(["production", "Prod", "", "dev ", "toString"])("%j is refused in one sentence", (stage) => {
    expect(() => settingsOf({ stage })).toThrow(
      new SettingError(`The context value stage is "${stage}"; it must be one of dev, staging, prod.`),
    );
  });

  test("that is unknown makes no stack", async () => {
    await expect(runApp({ stage: "production" })).rejects.toMatchObject({
      code: 1,
      stderr: 'The context value stage is "production"; it must be one of dev, staging, prod.\n',
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

describe("the ceilings", () => {
  test("are the stage's by default", () => {
    expect(settingsOf({ stage: "prod" })).toMatchObject({ chatConcurrency: 200, requestsPerAddress: 10_000 });
  });

  test("are what the operator says, be it text or a number", () => {
    expect(settingsOf({ chatConcurrency: "7", requestsPerAddress: 77 })).toMatchObject({
      chatConcurrency: 7,
      requestsPerAddress: 77,
    });
  });

  test.each([
    ["chatConcurrency", "0", 1],
    ["chatConcurrency", "-1", 1],
    ["chatConcurrency", "1.5", 1],
    ["chatConcurrency", "many", 1],
    ["requestsPerAddress", "9", 10],
    ["requestsPerAddress", "1e4", 10],
    ["tokensPerHour", "0", 1],
  ])("of %s are refused in one sentence: %j", (name, value, least) => {
    expect(() => settingsOf({ [name]: value })).toThrow(
      new SettingError(`The context value ${name} is "${value}"; it must be a whole number, at least ${least}.`),
    );
  });
});

describe("a deployment", () => {
  test("shifts traffic as the stage does, or all of it at once when the operator says so", () => {
    expect(settingsOf({ stage: "prod" }).shifting).toEqual({ percentage: 10, minutes: 10 });
    expect(settingsOf({ stage: "prod", atOnce: "false" }).shifting).toBeDefined();
    expect(settingsOf({ stage: "prod", atOnce: "true" }).shifting).toBeUndefined();
    expect(settingsOf({ stage: "prod", atOnce: true }).shifting).toBeUndefined();
  });

  test.each(["yes", "", "TRUE", "1"])("is not told %j", (atOnce) => {
    expect(() => settingsOf({ atOnce })).toThrow(
      new SettingError(`The context value atOnce is "${atOnce}"; it must be true or false.`),
    );
  });
});

describe("the address for alarms", () => {
  test.each(["", "operator@example.test", "https://pager.example.test/alarms?team=1"])("may be %j", (alarmAddress) => {
    expect(settingsOf({ alarmAddress }).alarmAddress).toBe(alarmAddress);
  });

  test.each(["operator", "http://pager.example.test", "mailto:operator@example.test", "a@b c", "https://"])(
    "is refused in one sentence: %j",
    (alarmAddress) => {
      expect(() => settingsOf({ alarmAddress })).toThrow(
        new SettingError("The context value alarmAddress must be a mail address or an https URL."),
      );
    },
  );
});

describe("the CORS origin", () => {
  test.each(["", "*", "https://app.example.test", "http://localhost:5173"])("accepts %j", (corsOrigin) => {
    expect(settingsOf({ corsOrigin }).corsOrigin).toBe(corsOrigin);
  });

  test("is none by default", () => {
    expect(settingsOf({}).corsOrigin).toBe("");
  });

  test.each([
    "app.example.test",
    "https://app.example.test/",
    "https://app.example.test/page",
    "https://a.example.test,https://b.example.test",
    "https://app.example.test'",
    "null",
    "**",
  ])("rejects %j in one sentence", (corsOrigin) => {
    expect(() => settingsOf({ corsOrigin })).toThrow(
      new SettingError(
        "The context value corsOrigin must be * or an origin without a path, such as https://app.example.com.",
      ),
    );
  });
});

describe("the domain", () => {
  const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";

  test("is none by default, whatever else is said of it", () => {
    expect(settingsOf({}).domain).toBeUndefined();
    expect(settingsOf({ certificateArn, basePath: "health" }).domain).toBeUndefined();
  });

  test("is the operator's, under v1 unless there is another base path", () => {
    const given = { domainName: "api.example.test", certificateArn };
    expect(settingsOf(given).domain).toEqual({
      name: "api.example.test",
      certificateArn,
      basePath: "v1",
      hostedZoneId: "",
    });
    expect(settingsOf({ ...given, basePath: "health/v1", hostedZoneId: "Z1" }).domain).toMatchObject({
      basePath: "health/v1",
      hostedZoneId: "Z1",
    });
  });

  test.each([undefined, "", "a-certificate", "arn:aws:iam::111122223333:server-certificate/x"])(
    "is refused without a certificate: %j",
    (certificate) => {
      expect(() => settingsOf({ domainName: "api.example.test", certificateArn: certificate })).toThrow(
        new SettingError(
          "With the context value domainName, certificateArn must be the ARN of a certificate for that name.",
        ),
      );
    },
  );

  test.each(["/v1", "v1/", "a//b", "a b", "", "v1?x"])("is refused with the base path %j", (basePath) => {
    expect(() => settingsOf({ domainName: "api.example.test", certificateArn, basePath })).toThrow(
      new SettingError(`The context value basePath is "${basePath}"; it must be a path without slashes at its ends.`),
    );
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
    expect(template.functions.get(route?.functionId ?? "")?.environment).toEqual({
      METRICS_SERVICE: "health-assistant-dev",
    });
  });

  test.each([{}, { playground: "false" }, { playground: false }])("is not there otherwise: %j", (context) => {
    expect(settingsOf(context).playground).toBe(false);
  });

  test.each(["staging", "prod"])("is refused on %s, in one sentence", (stage) => {
    expect(() => settingsOf({ stage, playground: "true" })).toThrow(
      new SettingError(`The context value playground is true; only the stage dev may have it, and this is ${stage}.`),
    );
  });

  test.each(["yes", "", "1"])("is true or false: %j", (playground) => {
    expect(() => settingsOf({ playground })).toThrow(
      new SettingError(`The context value playground is "${playground}"; it must be true or false.`),
    );
  });
});
