import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { endpoints, functionNames } from "../../shared/openapi/registry.ts";
import { functionsByCaller, type Properties, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const { outputs } = template;
const ofType = template.ofType.bind(template);
const one = template.one.bind(template);
const properties = template.properties.bind(template);

const [patientsId, patients] = one(
  "AWS::DynamoDB::Table",
  (table) => table.KeySchema.length === 1 && table.GlobalSecondaryIndexes,
);
const [apiKeysId, apiKeys] = one("AWS::SecretsManager::Secret", (secret) => secret.GenerateSecretString);
const [modelKeyId, modelKey] = one("AWS::SecretsManager::Secret", (secret) => secret.SecretString);
const [ruleId, rule] = one(
  "AWS::Events::Rule",
  ({ ScheduleExpression }) => ScheduleExpression === "cron(0/10 * * * ? *)",
);
const [deliveryRuleId, deliveryRule] = one(
  "AWS::Events::Rule",
  ({ ScheduleExpression }) => ScheduleExpression === "cron(0/1 * * * ? *)",
);

const functions = functionsByCaller(assembly);
const names = Object.keys(functions);
const functionOf = (name: string) => properties(functions[name] ?? "");

describe("the functions", () => {
  test("are one per route or resource, the sweep, and the delivery of events", () => {
    const expected = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(names.toSorted()).toEqual([...expected, "sweep", "delivery"].toSorted());
    const ids = [...new Set(Object.values(functions))];
    expect(ids).toHaveLength(functionNames.length + 2);
    expect(
      ofType("AWS::Lambda::Function")
        .map(([id]) => id)
        .sort(),
    ).toEqual(ids.sort());
  });

  const LONGEST: Record<string, number> = { sweep: 540, delivery: 120 };

  test.each(names)(
    "run on Node 24 and arm64, log JSON for a month, and end before the gateway gives up: %s",
    (name) => {
      const { LoggingConfig, Timeout, ...others } = functionOf(name);
      expect(others).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" });
      expect(LoggingConfig.LogFormat).toBe("JSON");
      expect(properties(target(LoggingConfig.LogGroup))).toMatchObject({ RetentionInDays: 30 });
      expect(Timeout).toBeLessThanOrEqual(LONGEST[name] ?? 29); // the next sweep begins after 600 s
    },
  );

  test.each(names)("are called through an alias of the newest version: %s", (name) => {
    const [, { Properties }] = one("AWS::Lambda::Alias", (alias) => target(alias.FunctionName) === functions[name]);
    const version = template.resources[target(Properties.FunctionVersion)];
    expect(version).toMatchObject({
      Type: "AWS::Lambda::Version",
      Properties: { FunctionName: { Ref: functions[name] } },
      // Not "Retain": the version of a rolled-back update would block the next deployment of the same code.
      DeletionPolicy: "RetainExceptOnCreate",
      UpdateReplacePolicy: "Retain",
    });
  });

  test("can be called only by the gateway and the schedules, with one permission for each that the gateway calls", () => {
    const called = template
      .all("AWS::Lambda::Permission", ({ Principal }) => Principal === "apigateway.amazonaws.com")
      .map(({ FunctionName }) => target(properties(target(FunctionName)).FunctionName));
    expect(called.sort()).toEqual(
      [...new Set(endpoints.map(({ method, path }) => functions[`${method} ${path}`]))].sort(),
    );
    for (const [, { Properties }] of ofType("AWS::Lambda::Permission")) {
      const { Action, FunctionName, Principal, SourceArn } = Properties;
      const alias = properties(target(FunctionName));
      expect(alias.Name).toBe("live");
      const schedule = { [functions.sweep ?? ""]: ruleId, [functions.delivery ?? ""]: deliveryRuleId }[
        target(alias.FunctionName)
      ];
      expect([Action, Principal]).toEqual([
        "lambda:InvokeFunction",
        schedule ? "events.amazonaws.com" : "apigateway.amazonaws.com",
      ]);
      expect(JSON.stringify(SourceArn)).toContain(
        schedule ?? target(template.only("AWS::ApiGateway::Stage").RestApiId),
      );
    }
  });
});

// test/infra/replacement.test.ts compares the tables' keys with the last release, and test/infra/stages.test.ts what
// happens to deleted data.
describe("the tables", () => {
  test("of patients lose nothing: point-in-time recovery and nightly backups", () => {
    expect(patients.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    const [, selection] = one("AWS::Backup::BackupSelection");
    expect(selection.Properties.BackupSelection.Resources).toEqual([{ "Fn::GetAtt": [patientsId, "Arn"] }]);
    const [vaultId, { DeletionPolicy, Properties }] = one("AWS::Backup::BackupVault");
    expect(template.only("AWS::Backup::BackupPlan").BackupPlan.BackupPlanRule).toEqual([
      expect.objectContaining({
        ScheduleExpression: "cron(30 3 * * ? *)",
        TargetBackupVault: { "Fn::GetAtt": [vaultId, "BackupVaultName"] },
        Lifecycle: { DeleteAfterDays: 7 },
      }),
    ]);
    // The vault outlives the stack, so its name must not conflict with the next stack's.
    expect(DeletionPolicy).toBe("RetainExceptOnCreate");
    expect(JSON.stringify(Properties.BackupVaultName)).toContain('{"Ref":"AWS::StackId"}');
  });
});

test("docs/decisions.md names the keys of each index", () => {
  const document = readFileSync(join(import.meta.dirname, "../../docs/decisions.md"), "utf8");
  const documented = [...document.matchAll(/^\| [\w ]+, index `([\w-]+)` \| (.*?) \|/gm)].map(([, name, keys]) => [
    name,
    keys,
  ]);
  const indexes = template
    .all("AWS::DynamoDB::Table")
    .flatMap(({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes)
    .map(({ IndexName, KeySchema }: Properties) => [
      IndexName,
      KeySchema.map(({ AttributeName }: Properties) => `\`${AttributeName}\``).join(", "),
    ]);
  expect(documented.sort()).toEqual(indexes.sort());
});

test("the delivery of events is started by new events, without their contents, and every minute", () => {
  expect(deliveryRule.Properties.State).toBe("ENABLED");
  const [eventsId, events] = one("AWS::DynamoDB::Table", (table) => table.StreamSpecification);
  expect(events.Properties.StreamSpecification).toEqual({ StreamViewType: "KEYS_ONLY" });
  const { Source, SourceParameters, Target, TargetParameters } = template.only("AWS::Pipes::Pipe");
  expect(target(Source)).toBe(eventsId);
  expect(properties(target(Target))).toMatchObject({
    Name: "live",
    FunctionName: { Ref: functions.delivery },
  });
  // No batch waits for the receivers of the one before.
  expect(TargetParameters).toEqual({ LambdaFunctionParameters: { InvocationType: "FIRE_AND_FORGET" } });
  expect(SourceParameters.FilterCriteria.Filters.map(({ Pattern }: Properties) => JSON.parse(Pattern))).toEqual([
    { eventName: ["INSERT"], dynamodb: { Keys: { sk: { S: [{ prefix: "evt_" }] } } } },
  ]);
});

test("no function may send events to this machine's own addresses", () => {
  for (const [, { Properties }] of ofType("AWS::Lambda::Function")) {
    expect(Properties.Environment?.Variables ?? {}).not.toHaveProperty("WEBHOOKS_TO_LOOPBACK");
  }
});

test("the sweep runs every 10 minutes, on the tens, in five parts that are each retried once", () => {
  expect(rule.Properties).toMatchObject({ ScheduleExpression: "cron(0/10 * * * ? *)", State: "ENABLED" });
  expect(rule.Properties.Targets).toEqual(
    [0, 1, 2, 3, 4].map((part) =>
      expect.objectContaining({
        Arn: rule.Properties.Targets[0].Arn,
        Input: JSON.stringify({ part, parts: 5 }),
        RetryPolicy: { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 600 },
      }),
    ),
  );
  expect(functionOf("sweep").ReservedConcurrentExecutions).toBe(5);
  const live = properties(target(rule.Properties.Targets[0].Arn));
  expect([live.Name, target(live.FunctionName)]).toEqual(["live", functions.sweep]);
  const ofSweep = ({ FunctionName }: Properties) => target(FunctionName) === functions.sweep;
  expect(template.only("AWS::Lambda::EventInvokeConfig", ofSweep)).toMatchObject({
    FunctionName: { Ref: functions.sweep },
    Qualifier: expect.anything(),
    MaximumRetryAttempts: 1,
    MaximumEventAgeInSeconds: 600,
  });
});

test("only the integrations of chat and public content stream, which passes words and compressed bytes unchanged", () => {
  const streaming = readTemplate(assembly).routes.filter(({ streams }) => streams);
  expect(streaming.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "ANY /chat",
    "ANY /docs",
    "ANY /llms.txt",
    "ANY /openai/v1/chat/completions",
    "ANY /openai/v1/models",
    "ANY /openai/v1/models/{id}",
    "ANY /openai/{path+}",
    "ANY /openapi.json",
  ]);
  expect(template.only("AWS::ApiGateway::RestApi").BinaryMediaTypes).toBeUndefined();
});

describe("the gateway", () => {
  const [, stage] = one("AWS::ApiGateway::Stage");

  // test/infra/stages.test.ts has the throttling of each stage.
  test("serves the stage v1, and logs only errors and never bodies", () => {
    expect(stage.Properties.StageName).toBe("v1");
    expect(stage.Properties.MethodSettings).toEqual([
      expect.objectContaining({ ResourcePath: "/*", HttpMethod: "*", LoggingLevel: "ERROR", DataTraceEnabled: false }),
    ]);
  });

  test("logs each access as JSON, with the route instead of the path and without query string, headers or body", () => {
    const variables = Object.values<string>(JSON.parse(stage.Properties.AccessLogSetting.Format));
    expect(variables.map((name) => name.replace("$context.", "")).sort()).toEqual([
      ...["error.responseType", "httpMethod", "identity.sourceIp", "integration.latency", "integration.status"],
      ...["requestId", "requestTime", "resourcePath", "responseLatency", "responseLength", "status", "waf.status"],
    ]);
  });

  test("may write logs: the account's role is created before the stage", () => {
    expect(stage.DependsOn).toContain(one("AWS::ApiGateway::Account")[0]);
  });

  test("requires at least TLS 1.2 with forward secrecy, at a regional address", () => {
    expect(template.only("AWS::ApiGateway::RestApi")).toMatchObject({
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
    });
  });

  // The others are in responses of the local gateway, which has them from the template.
  const RESPONSES: [type: string, status: string | undefined, error: string, code: string, retryAfter?: string][] = [
    ["THROTTLED", "429", '"Too many requests"', "too-many-requests-per-second", "1"],
    ["INTEGRATION_FAILURE", "429", '"Too many concurrent requests"', "too-many-concurrent-requests", "1"],
    ["API_CONFIGURATION_ERROR", "503", '"Service unavailable"', "service-unavailable"],
    ["INTEGRATION_TIMEOUT", "503", '"Service unavailable"', "service-unavailable"],
    ["WAF_FILTERED", "403", '"Forbidden"', "forbidden"],
  ];

  test.each(RESPONSES)(
    "answers %s in the generic error shape with status %s",
    (...[type, status, error, code, retryAfter]) => {
      const [, { Properties }] = one("AWS::ApiGateway::GatewayResponse", ({ ResponseType }) => ResponseType === type);
      expect(Properties.StatusCode).toBe(status);
      expect(Properties.ResponseTemplates).toEqual({ "application/json": `{"success":false,"error":${error}}` });
      expect(Properties.ResponseParameters).toEqual({
        "gatewayresponse.header.x-request-id": "context.requestId",
        "gatewayresponse.header.cache-control": "'no-store'",
        "gatewayresponse.header.x-content-type-options": "'nosniff'",
        "gatewayresponse.header.x-error-code": `'${code}'`,
        "gatewayresponse.header.x-help-lines":
          '\'emergency="911", crisis="988", poison="1-800-222-1222", abuse="1-800-799-7233"\'',
        ...(retryAfter && { "gatewayresponse.header.retry-after": `'${retryAfter}'` }),
      });
    },
  );
});

test("no secret has a real value in the template, and functions get only the location of secrets", () => {
  const { GenerateSecretString, SecretString } = apiKeys.Properties;
  expect(SecretString).toBeUndefined();
  expect(GenerateSecretString).toMatchObject({ SecretStringTemplate: "{}", GenerateStringKey: "default" });
  expect(GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(32);
  expect(modelKey.Properties.SecretString).toBe("replace-with-the-model-providers-key");
  for (const name of names) {
    const { API_KEYS_SECRET, MODEL_KEY_SECRET, OPENAI_API_KEY } = functionOf(name).Environment?.Variables ?? {};
    expect([undefined, apiKeysId]).toContain(API_KEYS_SECRET?.Ref);
    expect([undefined, modelKeyId]).toContain(MODEL_KEY_SECRET?.Ref);
    expect(OPENAI_API_KEY).toBeUndefined();
  }
});

test("the outputs are the base URL, with https, the stage and no trailing slash, and the names of the secrets", () => {
  const parts = outputs.BaseUrl?.Value["Fn::Join"][1];
  expect([parts[0], parts.at(-2), target(parts.at(-1))]).toEqual(["https://", "/", one("AWS::ApiGateway::Stage")[0]]);
  expect(JSON.stringify(outputs.ApiKeysSecret?.Value)).toContain(`{"Ref":"${apiKeysId}"}`);
  expect(JSON.stringify(outputs.ModelKeySecret?.Value)).toContain(`{"Ref":"${modelKeyId}"}`);
});
