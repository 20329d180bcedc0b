import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { SettingError } from "../../infra/setting-error.ts";
import { readSettings, undecided, unheardAlarms } from "../../infra/settings.ts";
import { STAGE_SETTINGS, settingsInVariables } from "../../infra/settings-schema.ts";
import { STAGES } from "../../infra/stages.ts";

const alarmAddress = "operator@example.test";
/** Prod with what its file leaves to the operator. */
const PROD = { stage: "prod", alarmAddress, backupCopyVault: "none" };

const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000";

/** Reads the settings from `-c name=value` options and the stage files. */
const settingsOf = (context: Record<string, unknown>, stages = STAGES) => readSettings(context, stages);

test("the stage is dev by default", () => {
  expect(settingsOf({}).stage).toBe("dev");
  expect(readdirSync(process.env.TEST_CLOUD_ASSEMBLY ?? "")).toContain("health-assistant-dev.template.json");
});

describe("the stage files", () => {
  const ofClinic = {
    ...(STAGES.prod as object),
    alarmAddress,
    backupCopyVault: "none",
    domainName: "api.example.test",
    certificateArn,
    fallbackModel: "another-model",
    country: "AT",
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
      helpLines: { emergencyNumber: "144", poisonControl: "01 406 43 43" },
    });
  });

  test("are overridden by -c, and the overrides are recorded", () => {
    const context = { stage: "prod", country: "GB", "aws:cdk:x": 1 };
    const { helpLines, overrides } = settingsOf(context, stages);
    expect([helpLines.emergencyNumber, overrides]).toEqual(["999", { country: "GB" }]);
  });

  test.each([
    ["an address for alarms", { alarmAddress: "" }, /^alarmAddress in infra\/stages\/prod\.json must be set/],
    ["a decision about the loss of a region", { backupCopyVault: "" }, /^backupCopyVault in .*prod\.json must be set/],
    ["a lock not longer than a backup is kept", { backupLockDays: 36 }, /must not be greater than backupDays/],
    ["a canary that its alarm can end", { canaryMinutes: 14 }, /it must be 0 or at least 15/],
    [
      "only names that exist",
      { alarmaddress: "a@b.c" },
      "infra/stages/prod.json has a setting alarmaddress, which does not exist; did you mean alarmAddress?",
    ],
    ["no setting for a single deployment", { atOnce: true }, /^infra\/stages\/prod\.json has a setting atOnce/],
    ["numbers", { chatConcurrency: "many" }, /^chatConcurrency in .*prod\.json is "many"; .* at least 1/],
    ["a decision on keeping data", { keepsData: undefined }, /^keepsData in .*prod\.json is .* true or false/],
    ["a retention that CloudWatch knows", { logRetentionDays: 31 }, /^logRetentionDays in .* one of 30, 60, /],
    ["phone numbers of one country", { emergencyNumber: "112" }, 'emergencyNumber is "112", but country AT has "144"'],
    ["all phone numbers", { country: "", crisisLine: "142" }, /^crisisLine is set without emergencyNumber, /],
    ["a known country", { country: "Austria" }, /^country is "Austria"; it must be one of US, CA, /],
    ["a known profile", { profile: "tiny" }, /^profile in .*prod\.json is .* standard or small/],
    ["the name of a consent text", { consentRequired: "our text" }, /^consentRequired in .* empty or 1 to 32 letters/],
    ["a vault or none", { backupCopyVault: "x" }, /^backupCopyVault in .* the ARN of a backup vault, or none/],
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

  test("define the stages: a new file is a new stage", () => {
    const branch = { ...(STAGES.dev as Record<string, unknown>), playground: false };
    expect(settingsOf({ stage: "branch" }, { ...STAGES, branch }).stage).toBe("branch");
  });
});

/** A domain name with what it needs. */
const domain = { domainName: "api.example.test", certificateArn };
const read = { name: "api.example.test", certificateArn, basePath: "v1", hostedZoneId: "" };
const inZone = { basePath: "health/v1", hostedZoneId: "Z1" };

test.each<[what: string, context: Record<string, unknown>, settings: Record<string, unknown>]>([
  [
    "limits as text or numbers",
    { chatConcurrency: "7", requestsPerAddress: 77 },
    { chatConcurrency: 7, requestsPerAddress: 77 },
  ],
  ["no reasoning effort", { modelReasoningEffort: "" }, { modelReasoningEffort: "" }],
  ["a deployment that shifts traffic", { ...PROD, atOnce: "false" }, { shifting: { percentage: 10, minutes: 15 } }],
  ["a deployment all at once", { ...PROD, atOnce: true }, { shifting: undefined }],
  ["no domain without a name", { certificateArn, basePath: "health" }, { domain: undefined }],
  ["a domain with the base path v1", domain, { domain: read }],
  ["a domain in a hosted zone", { ...domain, ...inZone }, { domain: { ...read, ...inZone } }],
  ["no playground", { playground: "false" }, { playground: false }],
])("the operator can set %s", (_, context, settings) => {
  expect(settingsOf(context)).toMatchObject(settings);
});

test("by default, there is a model of OpenAI's, no domain, no CORS and no playground", () => {
  const settings = settingsOf({});
  const defaults = { modelBaseUrl: "", corsOrigin: "", domain: undefined, playground: false };
  expect(settings).toMatchObject({ model: expect.stringMatching(/./), ...defaults });
  expect(settings).not.toHaveProperty("modelReasoningEffort");
});

const wholeNumber = (least: number) => `a whole number, at least ${least}`;

describe.each<[name: string, mustBe: string, valid: string[], invalid: string[], others?: Record<string, unknown>]>([
  ["stage", "one of dev, prod, staging", ["staging"], ["production", "Prod", "", "dev ", "toString"]],
  ["chatConcurrency", wholeNumber(1), [], ["0", "-1", "1.5", "many"]],
  ["requestsPerAddress", wholeNumber(10), [], ["9", "1e4"]],
  ["tokensPerHour", wholeNumber(1), [], ["0"]],
  ["modelSeconds", "a whole number from 5 to 280", [], ["4", "281", "1000", "120000"]],
  ["atOnce", "true or false", [], ["yes", "", "TRUE", "1"]],
  ["playground", "true or false", [], ["yes", "", "1"]],
  [
    "alarmAddress",
    "an email address or an https URL",
    ["", alarmAddress, "https://a.test/b?c=1"],
    ["operator", "http://a.test", "mailto:operator@example.test", "a@b c", "https://"],
  ],
  [
    "corsOrigin",
    "* or an origin without a path, such as https://app.example.com",
    ["*", "https://app.example.test", "http://localhost:5173"],
    [
      ...["app.example.test", "https://app.example.test/", "https://app.example.test/page", "null", "**"],
      ...["https://a.example.test,https://b.example.test", "https://app.example.test'"],
    ],
  ],
  [
    "basePath",
    "a path without leading or trailing slashes",
    ["health/v1"],
    ["/v1", "v1/", "a//b", "a b", "", "v1?x"],
    domain,
  ],
])("the setting %s", (name, mustBe, valid, invalid, others = {}) => {
  const setTo = (value: string) => settingsOf({ ...others, [name]: value });

  test("rejects what is not valid, and says what is", () => {
    for (const value of invalid) {
      expect(() => setTo(value)).toThrow(
        new SettingError(`The context value ${name} is "${value}"; it must be ${mustBe}.`),
      );
    }
    for (const value of valid) {
      expect(setTo(value)).toMatchObject(name === "basePath" ? { domain: { basePath: value } } : { [name]: value });
    }
  });
});

const NEEDS_CERTIFICATE =
  "With the context value domainName, certificateArn must be the ARN of a certificate for that name.";
const otherArn = { certificateArn: "arn:aws:iam::1:server-certificate/x" };
const total = (requestsInFiveMinutes: string) => ({ stage: "staging", requestsInFiveMinutes });

test.each<[what: string, context: Record<string, unknown>, message: RegExp | string]>([
  ["an unknown reasoning effort", { modelReasoningEffort: "much" }, /must be empty or one of none, minimal,/],
  ["an unknown prompt cache", { modelPromptCache: "24h" }, /it must be one of off, key, in-memory, breakpoints/],
  ["a limit on all requests without the firewall", { ...total("9999"), profile: "small" }, /requestsInFiveMinutes/],
  ["too low a limit on all requests", total("9"), /requestsInFiveMinutes/],
  ["a domain without a certificate", { ...domain, certificateArn: undefined }, NEEDS_CERTIFICATE],
  ["a domain with another ARN", { ...domain, ...otherArn }, NEEDS_CERTIFICATE],
  [
    "a playground in another stage than dev",
    { stage: "staging", playground: "true" },
    "The context value playground is true, but the stage is staging; only dev can have a playground.",
  ],
  ["a runbook that is not a page", { runbookUrl: "docs/runbook.md" }, /it must be an https URL without an anchor/],
])("the operator cannot choose %s", (_, context, message) => {
  const choose = () => settingsOf(context);
  expect(choose).toThrow(SettingError);
  expect(choose).toThrow(message);
});

describe("what the operator has to decide before a deployment", () => {
  const context = { stage: "prod" };

  test("does not keep the template from being written, which names it", () => {
    const settings = settingsOf({ ...context, "health-assistant:without-decisions": "true" });
    expect(undecided(settings)).toEqual([
      expect.stringMatching(/^alarmAddress in infra\/stages\/prod\.json must be set/),
      expect.stringMatching(/^backupCopyVault in infra\/stages\/prod\.json must be set/),
    ]);
    expect(undecided(settingsOf(PROD))).toEqual([]);
  });

  test("keeps it from being deployed", () => {
    expect(() => settingsOf(context)).toThrow(SettingError);
  });
});

describe("alarms of which nobody is told", () => {
  test("are named, and only where there are alarms and no address at all", () => {
    const said = (context: Record<string, unknown>) => unheardAlarms(settingsOf(context));
    expect(said({ stage: "staging" })).toEqual([expect.stringMatching(/^Nobody is notified of the alarms of staging/)]);
    expect(said({ stage: "staging", noticeAddress: alarmAddress })).toEqual([]);
    expect(said({ stage: "staging", alarmAddress })).toEqual([]);
    expect(said({})).toEqual([]);
  });
});

describe("docs/operations.md", () => {
  const operations = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const firstCells = (operations.match(/^\| `[^|]*/gm) ?? []).join("");

  test.each(Object.keys(STAGE_SETTINGS.shape))("has a row for the setting %s", (name) => {
    expect(firstCells).toContain(`\`${name}\``);
  });

  test.each(settingsInVariables())("has a row for $variable, which npm start takes", ({ variable }) => {
    expect(firstCells).toContain(`\`${variable}\``);
  });
});
