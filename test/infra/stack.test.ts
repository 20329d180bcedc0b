import { describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../local/template.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { flat, functionsByCaller, type Properties, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const { outputs } = template;
const ofType = template.ofType.bind(template);
const one = template.one.bind(template);
const properties = template.properties.bind(template);

const [, threads] = one("AWS::DynamoDB::Table", ({ KeySchema }) => KeySchema.length === 2);
const [patientsId, patients] = one(
  "AWS::DynamoDB::Table",
  (table) => table.KeySchema.length === 1 && table.GlobalSecondaryIndexes,
);
const [apiKeysId, apiKeys] = one("AWS::SecretsManager::Secret", (secret) => secret.GenerateSecretString);
const [modelKeyId, modelKey] = one("AWS::SecretsManager::Secret", (secret) => secret.SecretString);
const [ruleId, rule] = one("AWS::Events::Rule", ({ ScheduleExpression }) => ScheduleExpression);

const functions = functionsByCaller(assembly);
const names = Object.keys(functions);
const functionOf = (name: string) => properties(functions[name] ?? "");

describe("the functions", () => {
  test("are one per route and the sweep", () => {
    const expected = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(names.toSorted()).toEqual([...expected, "sweep"].toSorted());
    const ids = Object.values(functions);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      ofType("AWS::Lambda::Function")
        .map(([id]) => id)
        .sort(),
    ).toEqual(ids.sort());
  });

  test.each(names)("run on Node 24 and arm64: %s", (name) => {
    expect(functionOf(name)).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
    });
  });

  test.each(names)("log JSON with a retention of one month: %s", (name) => {
    const { LogFormat, LogGroup } = functionOf(name).LoggingConfig;
    expect(LogFormat).toBe("JSON");
    expect(properties(target(LogGroup))).toMatchObject({ RetentionInDays: 30 });
  });

  test.each(names.filter((name) => name !== "sweep"))("time out before the gateway does at 29 s: %s", (name) => {
    expect(functionOf(name).Timeout).toBeLessThanOrEqual(29);
  });

  test("include a sweep that ends before the next one begins", () => {
    expect(functionOf("sweep").Timeout).toBeLessThan(600);
  });

  test("have the durations from the specification", () => {
    for (const name of ["POST /chat", "POST /threads", "GET /threads/{id}", "DELETE /threads/{id}", "sweep"]) {
      expect(functionOf(name).Environment.Variables).toMatchObject({
        THREAD_IDLE_SECONDS: "1800",
        SWEEP_INTERVAL_SECONDS: "600",
      });
    }
  });

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

  test("are not traced, and neither is the gateway, whose traces would contain keys and ids", () => {
    for (const name of names) {
      expect(functionOf(name).TracingConfig).toBeUndefined();
    }
    expect(one("AWS::ApiGateway::Stage")[1].Properties.TracingEnabled).toBe(false);
    expect(JSON.stringify(template.resources)).not.toMatch(/x-?ray:|xrayTraceId/i);
  });

  test("have a concurrency limit if they cost money or compete with themselves", () => {
    const ceilings = names.map((name) => [name, functionOf(name).ReservedConcurrentExecutions]);
    expect(Object.fromEntries(ceilings.filter(([, ceiling]) => ceiling))).toEqual({
      "POST /chat": 400,
      "POST /threads": 100,
      sweep: 5,
    });
  });

  /** The functions whose alarm counts failures, and does not compare them with the traffic. */
  const BY_COUNT: Record<string, number> = {
    "PATCH /patients/{id}": 3,
    "DELETE /patients/{id}": 3,
    "GET /patients/{id}/export": 3,
    "GET /patients/{id}/threads": 3,
    "GET /openapi.json": 3,
    "GET /docs": 3,
    sweep: 1,
  };

  test.each(names)("have an alarm for crashes and failures, over all versions: %s", (name) => {
    const { LogGroupName, MetricTransformations } = one(
      "AWS::Logs::MetricFilter",
      ({ LogGroupName, MetricTransformations: [{ MetricName }] }) =>
        target(LogGroupName) === target(functionOf(name).LoggingConfig.LogGroup) && MetricName.endsWith("-failures"),
    )[1].Properties;
    const [{ MetricName, MetricNamespace }] = MetricTransformations;
    expect(LogGroupName).toEqual(functionOf(name).LoggingConfig.LogGroup);
    const isOn = (metric: Properties) => metric.MetricName === MetricName && metric.Namespace === MetricNamespace;
    const [, { Properties }] = one(
      "AWS::CloudWatch::Alarm",
      (alarm) =>
        alarm.AlarmName.endsWith("-failing") &&
        (isOn(alarm) || (alarm.Metrics ?? []).some(({ MetricStat }: Properties) => isOn(MetricStat?.Metric ?? {}))),
    );
    const byCount = BY_COUNT[name];
    if (byCount) {
      expect(Properties.Metrics).toEqual([
        expect.objectContaining({ MetricStat: expect.anything(), ReturnData: true }),
      ]);
    } else {
      // Three failures and 5% of the traffic, so that three among thousands set off no alarm.
      const [rate, failed, invocations] = Properties.Metrics;
      expect(rate.Expression).toBe(`IF(${failed.Id} >= 3, 100 * ${failed.Id} / ${invocations.Id}, 0)`);
      expect(failed.MetricStat).toMatchObject({ Stat: "Sum", Period: 300 });
      expect(invocations.MetricStat.Metric).toMatchObject({ Namespace: "AWS/Lambda", MetricName: "Invocations" });
      const id = functions[name];
      expect(invocations.MetricStat.Metric.Dimensions.map(({ Value }: Properties) => flat(Value))).toEqual([
        `<${id}>`,
        `<${id}>:live`,
      ]);
    }
    expect(Properties).toMatchObject({
      AlarmName: expect.stringMatching(/^health-assistant-dev-[a-z-]+-failing$/),
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Threshold: byCount ?? 5,
      TreatMissingData: "notBreaching",
    });
  });

  test("can be called only by the gateway and the schedule", () => {
    for (const [, { Properties }] of ofType("AWS::Lambda::Permission")) {
      const { Action, FunctionName, Principal, SourceArn } = Properties;
      const alias = properties(target(FunctionName));
      expect(alias.Name).toBe("live");
      const bySchedule = target(alias.FunctionName) === functions.sweep;
      expect([Action, Principal]).toEqual([
        "lambda:InvokeFunction",
        bySchedule ? "events.amazonaws.com" : "apigateway.amazonaws.com",
      ]);
      expect(JSON.stringify(SourceArn)).toContain(
        bySchedule ? ruleId : target(one("AWS::ApiGateway::Stage")[1].Properties.RestApiId),
      );
    }
  });
});

describe("the threads table", () => {
  test("has a key of tenant and thread id, and the item", () => {
    expect(threads.Properties.KeySchema).toEqual([
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ]);
  });

  test("has one index, of the keys by shard and by the sweep at which they are due", () => {
    expect(threads.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "by-sweep",
        KeySchema: [
          { AttributeName: "sweepShard", KeyType: "HASH" },
          { AttributeName: "sweepAt", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ]);
  });

  test("expires its items by the attribute ttl", () => {
    expect(threads.Properties.TimeToLiveSpecification).toEqual({ AttributeName: "ttl", Enabled: true });
  });

  test("keeps no deleted data: no point-in-time recovery, and it is deleted with the stack", () => {
    expect(threads.Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled ?? false).toBe(false);
    expect(threads).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
  });
});

describe("the patients table", () => {
  test("has a key of tenant and patient id", () => {
    expect(patients.Properties.KeySchema).toEqual([{ AttributeName: "pk", KeyType: "HASH" }]);
  });

  test("has one index, of whole records by tenant and phone number", () => {
    expect(patients.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "by-phone-number",
        KeySchema: [{ AttributeName: "phoneKey", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ]);
  });

  test("loses no data: point-in-time recovery, no expiry and nightly backups", () => {
    expect(patients.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    // Notes of erasures expire by an attribute that no record has (test/storage/erasure.test.ts).
    expect(patients.Properties.TimeToLiveSpecification).toEqual({ AttributeName: "erasureEndsAt", Enabled: true });
    const [, selection] = one("AWS::Backup::BackupSelection");
    expect(selection.Properties.BackupSelection.Resources).toEqual([{ "Fn::GetAtt": [patientsId, "Arn"] }]);
    const [vaultId] = one("AWS::Backup::BackupVault");
    expect(one("AWS::Backup::BackupPlan")[1].Properties.BackupPlan.BackupPlanRule).toEqual([
      expect.objectContaining({
        ScheduleExpression: "cron(30 3 * * ? *)",
        TargetBackupVault: { "Fn::GetAtt": [vaultId, "BackupVaultName"] },
        Lifecycle: { DeleteAfterDays: 7 },
      }),
    ]);
    // The vault outlives the stack, so its name must not conflict with the next stack's.
    expect(template.resources[vaultId]).toMatchObject({ DeletionPolicy: "RetainExceptOnCreate" });
    expect(JSON.stringify(properties(vaultId).BackupVaultName)).toContain('{"Ref":"AWS::StackId"}');
  });
});

test("key attributes are strings, and tables are billed per request", () => {
  for (const { Properties } of [threads, patients]) {
    expect(Properties.BillingMode).toBe("PAY_PER_REQUEST");
    for (const { AttributeType } of Properties.AttributeDefinitions) {
      expect(AttributeType).toBe("S");
    }
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
  const live = properties(target(rule.Properties.Targets[0].Arn));
  expect([live.Name, target(live.FunctionName)]).toEqual(["live", functions.sweep]);
  expect(one("AWS::Lambda::EventInvokeConfig")[1].Properties).toMatchObject({
    FunctionName: { Ref: functions.sweep },
    Qualifier: expect.anything(),
    MaximumRetryAttempts: 1,
    MaximumEventAgeInSeconds: 600,
  });
});

test("a failed sweep goes to no dead-letter queue, because the next sweep does its work", () => {
  expect(ofType("AWS::SQS::Queue")).toEqual([]);
  expect(rule.Properties.Targets[0].DeadLetterConfig).toBeUndefined();
  expect(functionOf("sweep").DeadLetterConfig).toBeUndefined();
});

test("only the integrations of chat and pages stream, which passes words and compressed bytes unchanged", () => {
  const streaming = readTemplate(assembly).routes.filter(({ streams }) => streams);
  expect(streaming.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(["GET /docs", "POST /chat"]);
  expect(one("AWS::ApiGateway::RestApi")[1].Properties.BinaryMediaTypes).toBeUndefined();
});

describe("the gateway", () => {
  const [, stage] = one("AWS::ApiGateway::Stage");

  test("serves the stage v1, throttles it, and logs only errors and never bodies", () => {
    expect(stage.Properties.StageName).toBe("v1");
    expect(stage.Properties.MethodSettings).toEqual([
      {
        ResourcePath: "/*",
        HttpMethod: "*",
        LoggingLevel: "ERROR",
        DataTraceEnabled: false,
        ThrottlingRateLimit: 20,
        ThrottlingBurstLimit: 40,
      },
    ]);
  });

  test("logs each access as JSON, with the route instead of the path and without query string, headers or body", () => {
    const line = JSON.parse(stage.Properties.AccessLogSetting.Format);
    const variables = Object.values<string>(line);
    expect(variables.sort()).toEqual([
      "$context.error.responseType",
      "$context.httpMethod",
      "$context.identity.sourceIp",
      "$context.integration.latency",
      "$context.integration.status",
      "$context.requestId",
      "$context.requestTime",
      "$context.resourcePath",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.status",
      "$context.waf.status",
    ]);
  });

  test("may write logs: the account's role is created before the stage", () => {
    expect(stage.DependsOn).toContain(one("AWS::ApiGateway::Account")[0]);
  });

  test("requires at least TLS 1.2 with forward secrecy, at a regional address", () => {
    expect(one("AWS::ApiGateway::RestApi")[1].Properties).toMatchObject({
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
    });
  });

  test.each([
    ["MISSING_AUTHENTICATION_TOKEN", "404", '"Not found"'],
    ["REQUEST_TOO_LARGE", "413", '"Request body must not be larger than 256 KB"'],
    ["THROTTLED", "429", '"Too many requests"', "1"],
    ["INTEGRATION_FAILURE", "429", '"Too many concurrent requests"', "1"],
    ["WAF_FILTERED", "403", '"Forbidden"'],
    ["DEFAULT_4XX", undefined, "$context.error.messageString"],
    ["DEFAULT_5XX", "500", '"Internal server error"'],
  ])("answers %s in the generic error shape with status %s", (...[type, status, error, retryAfter]) => {
    const [, { Properties }] = one("AWS::ApiGateway::GatewayResponse", ({ ResponseType }) => ResponseType === type);
    expect(Properties.StatusCode).toBe(status);
    expect(Properties.ResponseTemplates).toEqual({ "application/json": `{"success":false,"error":${error}}` });
    expect(Properties.ResponseParameters).toEqual({
      "gatewayresponse.header.x-request-id": "context.requestId",
      "gatewayresponse.header.cache-control": "'no-store'",
      "gatewayresponse.header.x-content-type-options": "'nosniff'",
      ...(retryAfter && { "gatewayresponse.header.retry-after": `'${retryAfter}'` }),
    });
  });

  test("has only these seven responses of its own", () => {
    expect(ofType("AWS::ApiGateway::GatewayResponse")).toHaveLength(7);
  });
});

describe("secrets never have a real value in the template:", () => {
  test("the first API key is random and too long to guess", () => {
    const { GenerateSecretString, SecretString } = apiKeys.Properties;
    expect(SecretString).toBeUndefined();
    expect(GenerateSecretString).toMatchObject({ SecretStringTemplate: "{}", GenerateStringKey: "default" });
    expect(GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(32);
  });

  test("the model's key is a placeholder until an operator replaces it", () => {
    expect(modelKey.Properties.SecretString).toBe("replace-with-the-model-providers-key");
  });

  test("functions get the location of secrets, not their values", () => {
    for (const name of names) {
      const { API_KEYS_SECRET, MODEL_KEY_SECRET, OPENAI_API_KEY } = functionOf(name).Environment?.Variables ?? {};
      expect([undefined, apiKeysId]).toContain(API_KEYS_SECRET?.Ref);
      expect([undefined, modelKeyId]).toContain(MODEL_KEY_SECRET?.Ref);
      expect(OPENAI_API_KEY).toBeUndefined();
    }
  });
});

describe("the outputs", () => {
  test("include the base URL: https, with the stage and without a trailing slash", () => {
    const parts = outputs.BaseUrl?.Value["Fn::Join"][1];
    expect(parts[0]).toBe("https://");
    expect(parts.at(-2)).toBe("/");
    expect(target(parts.at(-1))).toBe(one("AWS::ApiGateway::Stage")[0]);
  });

  test.each([
    ["ApiKeysSecret", apiKeysId],
    ["ModelKeySecret", modelKeyId],
  ])("include the name of the secret: %s", (name, id) => {
    expect(JSON.stringify(outputs[name]?.Value)).toContain(`{"Ref":"${id}"}`);
  });
});
