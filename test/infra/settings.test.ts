import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import cdkJson from "../../cdk.json" with { type: "json" };
import { SettingError } from "../../infra/setting-error.ts";
import { readSettings } from "../../infra/settings.ts";
import { STAGES } from "../../infra/stages.ts";
import { readTemplate } from "../../local/template.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const alarmAddress = "operator@example.test";
/** Prod with what its file leaves to the operator. */
const PROD = { stage: "prod", alarmAddress, backupCopyVault: "none" };

/** Reads the settings from `-c name=value` options and the stage files. */
function settingsOf(context: Record<string, unknown>, stages = STAGES) {
  return readSettings(context, stages);
}

/** Runs the CDK app as `cdk synth -c …` does, without the template checks, which other tests make. */
function runApp(context: Record<string, unknown>) {
  const values = {
    ...cdkJson.context,
    "aws:cdk:enable-asset-metadata": true,
    "@aws-cdk/core:validateAgainstDefaultRules": false,
    "health-assistant:unchecked": true,
    ...context,
  };
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(values), CDK_OUTDIR: folder };
  return promisify(execFile)(process.execPath, ["infra/app.ts"], { cwd: ROOT, env });
}

/** One run of the app for several tests, because each takes seconds. */
let playground: ReturnType<typeof runApp> | undefined;
const withPlayground = () => {
  playground ??= runApp({ stage: "dev", playground: "true", chatConcurrency: "7" });
  return playground;
};

describe("the stage", () => {
  test("is dev by default", () => {
    expect(settingsOf({}).stage).toBe("dev");
    expect(readdirSync(process.env.TEST_CLOUD_ASSEMBLY ?? "")).toContain("health-assistant-dev.template.json");
  });

  test.each(["dev", "staging", "prod"])("may be %s", (stage) => {
    expect(settingsOf({ ...PROD, stage }).stage).toBe(stage);
  });

  test.each(["production", "Prod", "", "dev ", "toString"])("rejects %j", (stage) => {
    expect(() => settingsOf({ stage })).toThrow(
      new SettingError(`The context value stage is "${stage}"; it must be one of dev, prod, staging.`),
    );
  });

  test("creates no stack if it is unknown", async () => {
    await expect(runApp({ stage: "production" })).rejects.toMatchObject({
      code: 1,
      stderr: 'The context value stage is "production"; it must be one of dev, prod, staging.\n',
    });
  });
});

describe("the stage files", () => {
  const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";
  const ofClinic = {
    ...(STAGES.prod as object),
    alarmAddress,
    backupCopyVault: "none",
    domainName: "api.example.test",
    certificateArn,
    fallbackModel: "another-model",
    emergencyNumber: "112",
  };
  const stages = { ...STAGES, prod: ofClinic };

  test("hold every setting that a deployment needs: adding only -c atOnce=true loses none", () => {
    const before = settingsOf({ stage: "prod" }, stages);
    const { shifting, atOnce, overrides, ...others } = settingsOf({ stage: "prod", atOnce: "true" }, stages);
    expect([shifting, atOnce, overrides]).toEqual([undefined, true, { atOnce: "true" }]);
    expect(before).toMatchObject(others);
    expect(others).toMatchObject({
      domain: { name: "api.example.test" },
      alarmAddress,
      fallbackModel: "another-model",
      emergencyNumber: "112",
    });
  });

  test("are overridden by -c, and the overrides are recorded", () => {
    const { emergencyNumber, overrides } = settingsOf(
      { stage: "prod", emergencyNumber: "999", "aws:cdk:x": 1 },
      stages,
    );
    expect([emergencyNumber, overrides]).toEqual(["999", { emergencyNumber: "999" }]);
  });

  test("must set the address for alarms in prod", () => {
    expect(() => settingsOf({ stage: "prod" })).toThrow(
      new SettingError(
        "alarmAddress in infra/stages/prod.json must be set: in prod, somebody must be notified of alarms.",
      ),
    );
  });

  test.each([
    ["a decision about the loss of a region", { backupCopyVault: "" }, /backupCopyVault in .*prod\.json must be set/],
    ["a lock not longer than a backup is kept", { backupLockDays: 36 }, /must not be greater than backupDays/],
    ["a canary that its alarm can end", { canaryMinutes: 14 }, /it must be 0 or at least 15/],
  ])("must have, in prod, %s", (_, wrong, message) => {
    const read = () => settingsOf({ stage: "prod" }, { prod: { ...ofClinic, ...wrong } });
    expect(read).toThrow(SettingError);
    expect(read).toThrow(message);
  });

  test.each([
    ["emergencynumber", "emergencyNumber"],
    ["atonce", "atOnce"],
    ["chatConcurency", "chatConcurrency"],
    ["domain", "domainName"],
    ["stag", "stage"],
  ])("reject an unknown name and suggest the likely one: %s", (wrong, right) => {
    expect(() => settingsOf({ [wrong]: "112" })).toThrow(
      new SettingError(`The context has a setting ${wrong}, which does not exist; did you mean ${right}?`),
    );
  });

  test("must not contain an unknown name or a setting for a single deployment", () => {
    const wrong = { ...STAGES, prod: { ...ofClinic, alarmaddress: "a@example.test" } };
    expect(() => settingsOf({ stage: "prod" }, wrong)).toThrow(
      new SettingError(
        "infra/stages/prod.json has a setting alarmaddress, which does not exist; did you mean alarmAddress?",
      ),
    );
    expect(() => settingsOf({ stage: "prod" }, { prod: { ...ofClinic, atOnce: true } })).toThrow(SettingError);
  });

  test.each([
    ["chatConcurrency", "many", "a whole number, at least 1"],
    ["keepsData", undefined, "true or false"],
    ["logRetentionDays", 31, /one of 30, 60, /],
    ["profile", "tiny", "standard or small"],
    ["backupCopyVault", "elsewhere", "the ARN of a backup vault, or none"],
  ])("are rejected with an invalid value of %s: %j", (name, value, mustBe) => {
    const read = () => settingsOf({ stage: "prod" }, { prod: { ...ofClinic, [name]: value } });
    expect(read).toThrow(SettingError);
    expect(read).toThrow(`${name} in infra/stages/prod.json is `);
    expect(read).toThrow(mustBe);
  });

  test("are printed by the app, with every -c that overrides them", async () => {
    const { stderr } = await withPlayground();
    expect(stderr).toContain("Settings: infra/stages/dev.json, overridden by playground=true, chatConcurrency=7\n");
  });

  test("define the stages: a new file is a new stage", () => {
    const { playground: _, ...branch } = { ...(STAGES.dev as Record<string, unknown>), playground: false };
    expect(settingsOf({ stage: "branch" }, { ...STAGES, branch }).stage).toBe("branch");
  });
});

describe("the limit on all requests together", () => {
  test("needs the firewall", () => {
    const ceiling = { stage: "staging", requestsInFiveMinutes: "3000" };
    expect(settingsOf(ceiling).requestsInFiveMinutes).toBe(3_000);
    expect(() => settingsOf({ ...ceiling, profile: "small" })).toThrow(SettingError);
    expect(() => settingsOf({ ...ceiling, requestsInFiveMinutes: "9" })).toThrow(SettingError);
  });
});

describe("the model", () => {
  test("is one of OpenAI's by default", () => {
    expect(settingsOf({})).toMatchObject({ model: expect.stringMatching(/./), modelBaseUrl: "" });
  });

  test("and its provider can be set by the operator", () => {
    const given = { model: "some-model", modelBaseUrl: "https://models.example.test/v1" };
    expect(settingsOf(given)).toMatchObject(given);
  });

  test("accepts only supported features", () => {
    const given = { modelReasoningEffort: "", modelPromptCache: "key", fallbackModelReasoningEffort: "low" };
    expect(settingsOf(given)).toMatchObject(given);
    expect(settingsOf({})).not.toHaveProperty("modelReasoningEffort");
    expect(() => settingsOf({ modelReasoningEffort: "much" })).toThrow(/it must be empty or one of none, minimal,/);
    expect(() => settingsOf({ modelPromptCache: "24h" })).toThrow(/it must be one of off, key, in-memory, breakpoints/);
  });
});

describe("the limits", () => {
  test("are the stage's by default", () => {
    expect(settingsOf(PROD)).toMatchObject({
      chatConcurrency: 20,
      requestsPerAddress: 10_000,
    });
  });

  test("can be set by the operator, as text or as a number", () => {
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
  ])("reject an invalid %s: %j", (name, value, least) => {
    expect(() => settingsOf({ [name]: value })).toThrow(
      new SettingError(`The context value ${name} is "${value}"; it must be a whole number, at least ${least}.`),
    );
  });
});

describe("a deployment", () => {
  test("shifts traffic as the stage file says, or all at once if the operator says so", () => {
    expect(settingsOf(PROD).shifting).toEqual({ percentage: 10, minutes: 15 });
    expect(settingsOf({ ...PROD, atOnce: "false" }).shifting).toBeDefined();
    expect(settingsOf({ ...PROD, atOnce: "true" }).shifting).toBeUndefined();
    expect(settingsOf({ ...PROD, atOnce: true }).shifting).toBeUndefined();
  });

  test.each(["yes", "", "TRUE", "1"])("rejects atOnce %j", (atOnce) => {
    expect(() => settingsOf({ atOnce })).toThrow(
      new SettingError(`The context value atOnce is "${atOnce}"; it must be true or false.`),
    );
  });
});

describe("the address for alarms", () => {
  test.each(["", "operator@example.test", "https://pager.example.test/alarms?team=1"])("may be %j", (address) => {
    expect(settingsOf({ alarmAddress: address }).alarmAddress).toBe(address);
  });

  test.each(["operator", "http://pager.example.test", "mailto:operator@example.test", "a@b c", "https://"])(
    "rejects %j",
    (address) => {
      expect(() => settingsOf({ alarmAddress: address })).toThrow(
        new SettingError(
          `The context value alarmAddress is "${address}"; it must be an email address or an https URL.`,
        ),
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
  ])("rejects %j", (corsOrigin) => {
    expect(() => settingsOf({ corsOrigin })).toThrow(
      new SettingError(
        `The context value corsOrigin is "${corsOrigin}"; it must be * or an origin without a path, such as https://app.example.com.`,
      ),
    );
  });
});

describe("the domain", () => {
  const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";

  test("is unset by default, whatever its other settings", () => {
    expect(settingsOf({}).domain).toBeUndefined();
    expect(settingsOf({ certificateArn, basePath: "health" }).domain).toBeUndefined();
  });

  test("is set by the operator, with the base path v1 by default", () => {
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
    "is rejected without a certificate: %j",
    (certificate) => {
      expect(() => settingsOf({ domainName: "api.example.test", certificateArn: certificate })).toThrow(
        new SettingError(
          "With the context value domainName, certificateArn must be the ARN of a certificate for that name.",
        ),
      );
    },
  );

  test.each(["/v1", "v1/", "a//b", "a b", "", "v1?x"])("is rejected with the base path %j", (basePath) => {
    expect(() => settingsOf({ domainName: "api.example.test", certificateArn, basePath })).toThrow(
      new SettingError(
        `The context value basePath is "${basePath}"; it must be a path without leading or trailing slashes.`,
      ),
    );
  });
});

describe("the playground", () => {
  test("is a public page on the stage dev if enabled", async () => {
    await withPlayground();
    const template = readTemplate(folder);
    const route = template.routes.find(({ path }) => path === "/playground");
    expect(route).toMatchObject({ method: "GET", streams: true });
    expect(template.functions.get(route?.functionId ?? "")?.environment).toEqual({
      METRICS_SERVICE: "health-assistant-dev",
      METRICS: "essential",
    });
  });

  test.each([{}, { playground: "false" }, { playground: false }])("does not exist by default: %j", (context) => {
    expect(settingsOf(context).playground).toBe(false);
  });

  test.each(["staging", "prod"])("is rejected on %s", (stage) => {
    expect(() => settingsOf({ stage, playground: "true" })).toThrow(
      new SettingError(
        `The context value playground is true, but the stage is ${stage}; only dev can have a playground.`,
      ),
    );
  });

  test.each(["yes", "", "1"])("must be true or false: %j", (playground) => {
    expect(() => settingsOf({ playground })).toThrow(
      new SettingError(`The context value playground is "${playground}"; it must be true or false.`),
    );
  });
});
