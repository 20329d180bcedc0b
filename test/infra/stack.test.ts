import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../infra/local/template.ts";
import * as routes from "../../shared/http/routes.ts";

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties are what each resource type says they are
type Properties = Record<string, any>;
interface Resource {
  Type: string;
  Properties: Properties;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const file = readdirSync(assembly).find((name) => name.endsWith(".template.json")) ?? "";
const template = JSON.parse(readFileSync(join(assembly, file), "utf8")) as {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: Properties }>;
};
const resources = Object.entries(template.Resources);

const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
const properties = (id: string): Properties => template.Resources[id]?.Properties ?? {};

/** The logical id that a `Ref` or `Fn::GetAtt` points to. */
const target = (reference: Properties): string => reference.Ref ?? reference["Fn::GetAtt"]?.[0];

/** The one resource of a type that fits. */
function one(type: string, fits: (properties: Properties) => boolean = () => true): [id: string, resource: Resource] {
  const [found, ...more] = ofType(type).filter(([, resource]) => fits(resource.Properties));
  if (!found || more.length > 0) {
    throw new Error(`there are ${more.length + (found ? 1 : 0)} of ${type}`);
  }
  return found;
}

const partitionKey = (table: Properties): string => table.KeySchema[0].AttributeName;
const [threadsId, threads] = one("AWS::DynamoDB::Table", (table) => partitionKey(table) === "threadId");
const [patientsId, patients] = one("AWS::DynamoDB::Table", (table) => partitionKey(table) === "id");
const [apiKeysId, apiKeys] = one("AWS::SecretsManager::Secret", (secret) => secret.GenerateSecretString);
const [modelKeyId, modelKey] = one("AWS::SecretsManager::Secret", (secret) => secret.SecretString);
const [ruleId, rule] = one("AWS::Events::Rule");

/** Every function by what calls it: `POST /chat`, or `sweep`. */
const functions: Record<string, string> = {
  ...Object.fromEntries(
    readTemplate(assembly).routes.map(({ method, path, functionId }) => [`${method} ${path}`, functionId]),
  ),
  sweep: target(rule.Properties.Targets[0].Arn),
};
const names = Object.keys(functions);
const functionOf = (name: string) => properties(functions[name] ?? "");

describe("the functions", () => {
  test("are one for each route, and the sweep", () => {
    const expected = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
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

  test.each(names)("log JSON, which is kept for a month: %s", (name) => {
    const { LogFormat, LogGroup } = functionOf(name).LoggingConfig;
    expect(LogFormat).toBe("JSON");
    expect(properties(target(LogGroup))).toMatchObject({ RetentionInDays: 30 });
  });

  test.each(names.filter((name) => name !== "sweep"))("end before the gateway gives up at 29 s: %s", (name) => {
    expect(functionOf(name).Timeout).toBeLessThanOrEqual(29);
  });

  test("have a sweep that ends before the next one begins", () => {
    expect(functionOf("sweep").Timeout).toBeLessThan(600);
  });

  test("know the times that the specification sets", () => {
    for (const name of ["POST /chat", "POST /threads", "GET /threads/{id}", "DELETE /threads/{id}", "sweep"]) {
      expect(functionOf(name).Environment.Variables).toMatchObject({
        THREAD_IDLE_SECONDS: "1800",
        SWEEP_INTERVAL_SECONDS: "600",
      });
    }
  });

  test("are called by the gateway and the schedule only", () => {
    for (const [, { Properties }] of ofType("AWS::Lambda::Permission")) {
      const { Action, FunctionName, Principal, SourceArn } = Properties;
      const bySchedule = target(FunctionName) === functions.sweep;
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

const RESOURCE_NAMES = new Map([
  [threadsId, "threads"],
  [patientsId, "patients"],
  [apiKeysId, "API keys"],
  [modelKeyId, "model key"],
]);

/** A resource of a policy, readably: `threads`, `threads/index/by-sweep`; anything unknown as it is. */
function readable(resource: Properties): string {
  const [base, suffix = ""] = resource["Fn::Join"]?.[1] ?? [resource];
  const name = RESOURCE_NAMES.get(target(base));
  return name ? `${name}${suffix}` : JSON.stringify(resource);
}

/** What a function may do: resource → actions. */
function rights(name: string): Record<string, string[]> {
  const role = target(functionOf(name).Role);
  const allowed: Record<string, string[]> = {};
  for (const [, { Properties }] of ofType("AWS::IAM::Policy")) {
    if (Properties.Roles.some((candidate: Properties) => target(candidate) === role)) {
      for (const { Effect, Action, Resource } of Properties.PolicyDocument.Statement) {
        expect(Effect).toBe("Allow");
        for (const resource of [Resource].flat()) {
          const of = readable(resource);
          allowed[of] = [...(allowed[of] ?? []), ...[Action].flat()].sort();
        }
      }
    }
  }
  return allowed;
}

describe("each function may do what its use case needs, and nothing else:", () => {
  const key = { "API keys": ["secretsmanager:GetSecretValue"] };
  const model = { "model key": ["secretsmanager:GetSecretValue"] };
  const findPatient = {
    patients: ["dynamodb:GetItem"],
    "patients/index/by-phone-number": ["dynamodb:Query"],
  };
  const removeThreads = {
    threads: ["dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:Query", "dynamodb:UpdateItem"],
  };
  const expected: Record<string, Record<string, string[]>> = {
    "POST /chat": {
      ...key,
      ...model,
      ...findPatient,
      threads: ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"],
    },
    "POST /threads": { ...key, ...model, ...findPatient, threads: ["dynamodb:PutItem"] },
    "GET /threads/{id}": { ...key, threads: ["dynamodb:GetItem"] },
    "DELETE /threads/{id}": { ...key, ...removeThreads },
    "POST /patients": { ...key, patients: ["dynamodb:GetItem", "dynamodb:PutItem"] },
    "GET /patients/{id}": { ...key, patients: ["dynamodb:GetItem"] },
    "GET /openapi.json": {},
    "GET /docs": {},
    sweep: { ...removeThreads, "threads/index/by-sweep": ["dynamodb:Query"] },
  };

  test.each(names)("%s", (name) => {
    expect(rights(name)).toEqual(expected[name]);
  });

  test("no policy has a wildcard, and no role a managed policy but that of writing logs", () => {
    const policies = ofType("AWS::IAM::Policy").map(([, { Properties }]) => Properties.PolicyDocument);
    expect(JSON.stringify(policies)).not.toContain("*");
    for (const name of names) {
      const role = properties(target(functionOf(name).Role));
      expect(role.Policies).toBeUndefined();
      expect(JSON.stringify(role.ManagedPolicyArns.map((arn: Properties) => arn["Fn::Join"][1].at(-1)))).toBe(
        '[":iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"]',
      );
    }
  });
});

describe("the threads table", () => {
  test("has the thread's id and the item as its key", () => {
    expect(threads.Properties.KeySchema).toEqual([
      { AttributeName: "threadId", KeyType: "HASH" },
      { AttributeName: "item", KeyType: "RANGE" },
    ]);
  });

  test("has one index, of the keys by the sweep they are due at", () => {
    expect(threads.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "by-sweep",
        KeySchema: [{ AttributeName: "sweepAt", KeyType: "HASH" }],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ]);
  });

  test("expires its items by the attribute ttl", () => {
    expect(threads.Properties.TimeToLiveSpecification).toEqual({ AttributeName: "ttl", Enabled: true });
  });

  test("keeps nothing that was deleted: no point-in-time recovery, and it goes with the stack", () => {
    expect(threads.Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled ?? false).toBe(false);
    expect(threads).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
  });
});

describe("the patients table", () => {
  test("has the patient's id as its key", () => {
    expect(patients.Properties.KeySchema).toEqual([{ AttributeName: "id", KeyType: "HASH" }]);
  });

  test("has one index, of whole records by phone number", () => {
    expect(patients.Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "by-phone-number",
        KeySchema: [{ AttributeName: "phone_number", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ]);
  });

  test("loses nothing: point-in-time recovery, no expiry, and it outlives the stack", () => {
    expect(patients.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    expect(patients.Properties.TimeToLiveSpecification).toBeUndefined();
    expect(patients).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
  });
});

test("every key attribute of a table is a string, and tables are paid per request", () => {
  for (const { Properties } of [threads, patients]) {
    expect(Properties.BillingMode).toBe("PAY_PER_REQUEST");
    for (const { AttributeType } of Properties.AttributeDefinitions) {
      expect(AttributeType).toBe("S");
    }
  }
});

test("the sweep runs every 10 minutes, at full tens, and is tried once more when it fails", () => {
  expect(rule.Properties).toMatchObject({ ScheduleExpression: "cron(0/10 * * * ? *)", State: "ENABLED" });
  expect(rule.Properties.Targets).toEqual([
    expect.objectContaining({
      Arn: { "Fn::GetAtt": [functions.sweep, "Arn"] },
      RetryPolicy: { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 600 },
    }),
  ]);
});

test("the integrations of chat and pages stream, so that words and compressed bytes pass as they are; no other does", () => {
  const streaming = readTemplate(assembly).routes.filter(({ streams }) => streams);
  expect(streaming.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(["GET /docs", "POST /chat"]);
  expect(one("AWS::ApiGateway::RestApi")[1].Properties.BinaryMediaTypes).toBeUndefined();
});

describe("the gateway", () => {
  test("serves the stage v1, and never logs bodies", () => {
    const [, { Properties }] = one("AWS::ApiGateway::Stage");
    expect(Properties.StageName).toBe("v1");
    for (const { DataTraceEnabled } of Properties.MethodSettings) {
      expect(DataTraceEnabled).toBe(false);
    }
  });

  test.each([
    ["MISSING_AUTHENTICATION_TOKEN", "404", '"Not found"'],
    ["REQUEST_TOO_LARGE", "413", '"Request body is too large"'],
    ["THROTTLED", "429", '"Too many requests"'],
    ["QUOTA_EXCEEDED", "429", '"Too many requests"'],
    ["DEFAULT_4XX", undefined, "$context.error.messageString"],
    ["DEFAULT_5XX", "500", '"Internal server error"'],
  ])("answers %s in the generic error form, status %s", (type, status, error) => {
    const [, { Properties }] = one("AWS::ApiGateway::GatewayResponse", ({ ResponseType }) => ResponseType === type);
    expect(Properties.StatusCode).toBe(status);
    expect(Properties.ResponseTemplates).toEqual({ "application/json": `{"success":false,"error":${error}}` });
  });

  test("has no other answers of its own than these six", () => {
    expect(ofType("AWS::ApiGateway::GatewayResponse")).toHaveLength(6);
  });
});

describe("a secret never has a real value in the template:", () => {
  test("the first API key is random, and long enough not to be guessed", () => {
    const { GenerateSecretString, SecretString } = apiKeys.Properties;
    expect(SecretString).toBeUndefined();
    expect(GenerateSecretString).toMatchObject({ SecretStringTemplate: "{}", GenerateStringKey: "default" });
    expect(GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(32);
  });

  test("the model's key is a placeholder until an operator replaces it", () => {
    expect(modelKey.Properties.SecretString).toBe("replace-with-the-model-providers-key");
  });

  test("functions are told where secrets are, not what they are", () => {
    for (const name of names) {
      const { API_KEYS_SECRET, MODEL_KEY_SECRET, OPENAI_API_KEY } = functionOf(name).Environment?.Variables ?? {};
      expect([undefined, apiKeysId]).toContain(API_KEYS_SECRET?.Ref);
      expect([undefined, modelKeyId]).toContain(MODEL_KEY_SECRET?.Ref);
      expect(OPENAI_API_KEY).toBeUndefined();
    }
  });
});

describe("the outputs", () => {
  test("have the base URL: https, with the stage and without a slash at its end", () => {
    const parts = template.Outputs.BaseUrl?.Value["Fn::Join"][1];
    expect(parts[0]).toBe("https://");
    expect(parts.at(-2)).toBe("/");
    expect(target(parts.at(-1))).toBe(one("AWS::ApiGateway::Stage")[0]);
  });

  test.each([
    ["ApiKeysSecret", apiKeysId],
    ["ModelKeySecret", modelKeyId],
  ])("have the name of the secret, %s", (name, id) => {
    expect(JSON.stringify(template.Outputs[name]?.Value)).toContain(`{"Ref":"${id}"}`);
  });
});
