import { describe, expect, test } from "@jest/globals";
import { flat, functionsByCaller, type Properties, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const functions = functionsByCaller(assembly);
const names = Object.keys(functions);

const idOf = (type: string, fits?: (properties: Properties) => boolean) => template.one(type, fits)[0];

/** The names of resources in these tests. */
const NAMES = Object.entries({
  threads: idOf("AWS::DynamoDB::Table", ({ KeySchema }) => KeySchema.length === 2),
  patients: idOf("AWS::DynamoDB::Table", (table) => table.KeySchema.length === 1 && table.GlobalSecondaryIndexes),
  quotas: idOf("AWS::DynamoDB::Table", (table) => !table.GlobalSecondaryIndexes),
  "API keys": idOf("AWS::SecretsManager::Secret", (secret) => secret.GenerateSecretString),
  "model key": idOf("AWS::SecretsManager::Secret", (secret) => secret.SecretString),
  key: idOf("AWS::KMS::Key", ({ Description }) => Description.startsWith("Patients")),
  "backup key": idOf("AWS::KMS::Key", ({ Description }) => Description.startsWith("Backups")),
  vault: idOf("AWS::Backup::BackupVault"),
  region: "AWS::Region",
  account: "AWS::AccountId",
  partition: "AWS::Partition",
});

/** A value on one line, with the names above. */
function readable(value: unknown): string {
  return NAMES.reduce((text, [name, id]) => text.replaceAll(`<${id}>`, name), flat(value));
}

/** The permissions of a role, as `<action> <resource>` followed by the conditions. */
function rights(roleId: string): string[] {
  return template
    .statementsOf(roleId)
    .flatMap(({ Effect, Action, Resource, Condition = {} }) => {
      expect(Effect).toBe("Allow");
      const conditions = Object.values<Properties>(Condition).flatMap((tests) =>
        Object.entries(tests).map(
          ([name, value]) => ` ${name.replace(/^kms:(EncryptionContext:)?/, "")}=${readable(value)}`,
        ),
      );
      return [Action]
        .flat()
        .flatMap((action: string) =>
          [Resource].flat().map((resource) => `${action} ${readable(resource)}${conditions.join("")}`),
        );
    })
    .sort();
}

const viaService = (service: string) => `ViaService=${service}.region.amazonaws.com`;
const secret = (name: string) => [
  `kms:Decrypt key ${viaService("secretsmanager")} SecretARN=${name}`,
  `secretsmanager:GetSecretValue ${name}`,
];
const table = (name: string, actions: string[]) => [
  ...actions.map((action) => `dynamodb:${action} ${name}`),
  `kms:Decrypt key ${viaService("dynamodb")} aws:dynamodb:tableName=${name}`,
];
const key = [...secret("API keys"), ...table("quotas", ["UpdateItem"])];
const model = secret("model key");
const findPatient = [...table("patients", ["GetItem"]), "dynamodb:Query patients/index/by-phone-number"];
const removeThreads = table("threads", ["BatchWriteItem", "DeleteItem", "Query", "UpdateItem"]);

/** The permissions that each function needs for its use case. Every function may also write its own log. */
const EXPECTED: Record<string, string[]> = {
  "POST /chat": [
    ...key,
    "dynamodb:GetItem quotas",
    ...model,
    ...findPatient,
    "dynamodb:ConditionCheckItem patients",
    ...table("threads", ["DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"]),
  ],
  "POST /threads": [
    ...key,
    ...model,
    ...findPatient,
    "dynamodb:ConditionCheckItem patients",
    ...table("threads", ["GetItem", "PutItem"]),
  ],
  "GET /threads/{id}/messages": [...key, ...table("threads", ["GetItem", "Query"])],
  "PATCH /patients/{id}": [...key, ...table("patients", ["DeleteItem", "GetItem", "PutItem"])],
  "DELETE /patients/{id}": [
    ...key,
    ...table("patients", ["DeleteItem", "GetItem", "PutItem"]),
    ...removeThreads,
    ...["GetItem", "PutItem"].map((action) => `dynamodb:${action} threads`),
  ],
  "POST /patients/search": [...key, ...findPatient],
  "GET /patients/{id}/threads": [...key, ...table("patients", ["GetItem"]), ...table("threads", ["GetItem", "Query"])],
  "GET /patients/{id}/export": [...key, ...table("patients", ["GetItem"]), ...table("threads", ["GetItem", "Query"])],
  "GET /threads/{id}": [...key, ...table("threads", ["GetItem"])],
  "DELETE /threads/{id}": [...key, ...removeThreads],
  "POST /patients": [...key, ...table("patients", ["GetItem", "PutItem"]), ...table("threads", ["GetItem", "PutItem"])],
  "GET /patients/{id}": [...key, ...table("patients", ["GetItem"])],
  "GET /docs": [],
  "GET /openapi.json": [],
  sweep: [...removeThreads, "dynamodb:Query threads/index/by-sweep"],
};

describe("each function has exactly the permissions of its use case:", () => {
  test.each(names)("%s", (name) => {
    const { Role, LoggingConfig } = template.properties(functions[name] ?? "");
    const log = flat(LoggingConfig.LogGroup);
    const always = [`logs:CreateLogStream ${log}`, `logs:PutLogEvents ${log}`];
    expect(rights(target(Role))).toEqual([...(EXPECTED[name] ?? []), ...always].sort());
  });

  test("in its own role, which only Lambda can assume and which has no other policies", () => {
    const roles = names.map((name) => target(template.properties(functions[name] ?? "").Role));
    expect(new Set(roles).size).toBe(names.length);
    for (const role of roles) {
      const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = template.properties(role);
      expect(AssumeRolePolicyDocument.Statement).toEqual([
        { Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" } },
      ]);
      expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    }
  });
});

test("the backup role may back up patients into one vault and can read nothing through the backups", () => {
  const { IamRoleArn } = template.only("AWS::Backup::BackupSelection").BackupSelection;
  expect(rights(target(IamRoleArn))).toEqual([
    "backup:CopyIntoBackupVault vault",
    "backup:DescribeBackupVault vault",
    "backup:TagResource arn:partition:backup:region:account:recovery-point:*",
    "dynamodb:CreateBackup patients",
    "dynamodb:DeleteBackup patients/backup/*",
    "dynamodb:DescribeBackup patients/backup/*",
    "dynamodb:DescribeTable patients",
    "dynamodb:ListTagsOfResource patients",
    "dynamodb:StartAwsBackupJob patients",
    ...["backup key", "key"].map((name) => `kms:CreateGrant ${name} GrantIsForAWSResource=true`),
    ...["backup key", "key"].map((name) => `kms:Decrypt ${name} ${viaService("dynamodb")}`),
    ...["backup key", "key"].map((name) => `kms:DescribeKey ${name}`),
    ...["backup key", "key"].map((name) => `kms:GenerateDataKey ${name} ${viaService("dynamodb")}`),
  ]);
});

test("there are no roles besides those of the functions, the backups and the gateway's logs", () => {
  const known = [
    ...names.map((name) => template.properties(functions[name] ?? "").Role),
    template.only("AWS::Backup::BackupSelection").BackupSelection.IamRoleArn,
    template.only("AWS::ApiGateway::Account").CloudWatchRoleArn,
  ].map(target);
  const roles = template.ofType("AWS::IAM::Role").map(([id]) => id);
  expect(roles.sort()).toEqual(known.sort());
});
