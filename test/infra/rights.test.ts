import { describe, expect, test } from "@jest/globals";
import { BY_SWEEP } from "../../shared/dynamo/keys.ts";
import { flat, functionsByCaller, type Properties, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const functions = functionsByCaller(assembly);
const names = Object.keys(functions);
/** Some functions serve several routes. */
const functionIds = [...new Set(Object.values(functions))];

const idOf = (type: string, fits?: (properties: Properties) => boolean) => template.one(type, fits)[0];

const tableNamed = (name: string) =>
  String(template.ofType("AWS::DynamoDB::Table").find(([id]) => id.startsWith(`Tables${name}`))?.[0]);

const indexed = ({ GlobalSecondaryIndexes = [] }: Properties, name: string): boolean =>
  GlobalSecondaryIndexes.some(({ IndexName }: Properties) => IndexName === name);

/** The names of resources in these tests. */
const NAMES = Object.entries({
  threads: idOf("AWS::DynamoDB::Table", (table) => table.KeySchema.length === 2 && indexed(table, BY_SWEEP)),
  events: tableNamed("Events"),
  feedback: tableNamed("Feedback"),
  patients: idOf("AWS::DynamoDB::Table", (table) => table.KeySchema.length === 1 && table.GlobalSecondaryIndexes),
  quotas: idOf("AWS::DynamoDB::Table", (table) => table.KeySchema.length === 1 && !table.GlobalSecondaryIndexes),
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

/** The secrets that a function reads: only those that call the model read its key. */
const secretsOf = (name: string): string[] => [
  ...(["GET /docs", "GET /llms.txt", "GET /openapi.json", "sweep", "delivery"].includes(name) ? [] : ["API keys"]),
  ...(/^POST \/(chat|threads)$|\/openai\//.test(name) ? ["model key"] : []),
];

describe("each function has exactly the permissions of its use case:", () => {
  // test/infra/grants.test.ts compares the permissions on tables with those that the function uses.
  test.each(names)("%s", (name) => {
    const { Role, LoggingConfig } = template.properties(functions[name] ?? "");
    const log = flat(LoggingConfig.LogGroup);
    const granted = rights(target(Role));
    const onTables = granted.filter((right) => right.startsWith("dynamodb:"));
    const tables = new Set(onTables.map((right) => right.split(/[ /]/)[1]).filter((table) => table !== "*"));
    const expected = [
      ...onTables,
      ...[...tables].map((table) => `kms:Decrypt key ${viaService("dynamodb")} aws:dynamodb:tableName=${table}`),
      ...secretsOf(name).map((secret) => `kms:Decrypt key ${viaService("secretsmanager")} SecretARN=${secret}`),
      ...secretsOf(name).map((secret) => `secretsmanager:GetSecretValue ${secret}`),
      ...[`logs:CreateLogStream ${log}`, `logs:PutLogEvents ${log}`],
    ];
    expect(granted).toEqual(expected.sort());
  });

  test("in its own role, which only Lambda can assume and which has no other policies", () => {
    const roles = functionIds.map((id) => target(template.properties(id).Role));
    expect(new Set(roles).size).toBe(functionIds.length);
    for (const role of roles) {
      const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = template.properties(role);
      expect(AssumeRolePolicyDocument.Statement).toEqual([
        { Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" } },
      ]);
      expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    }
  });
});

describe("webhooks' secrets, which are in the table of events,", () => {
  const onEvents = (name: string) =>
    rights(target(template.properties(functions[name] ?? "").Role)).filter((right) =>
      /^dynamodb:\w+ events\b/.test(right),
    );
  const manages = (name: string) => name === "delivery" || name.includes("/webhooks");

  test("can be read only by the functions that manage webhooks and send to them", () => {
    const unlimited = names.filter((name) => onEvents(name).some((right) => !right.includes("LeadingKeys")));
    expect(unlimited).toEqual(names.filter(manages));
  });

  test("are out of reach for all others, which may use events and ask for the types of webhooks", () => {
    const others = names.filter((name) => !manages(name)).flatMap(onEvents);
    expect([...new Set(others)].sort()).toEqual([
      'dynamodb:PutItem events dynamodb:LeadingKeys=["*#events#*"]',
      'dynamodb:Query events dynamodb:LeadingKeys=["*#events#*"]',
      'dynamodb:Query events dynamodb:LeadingKeys=["*#webhooks"] dynamodb:Attributes=["pk","sk","events","disabled"] dynamodb:Select=SPECIFIC_ATTRIBUTES',
      'dynamodb:UpdateItem events dynamodb:LeadingKeys=["*#events#*"]',
    ]);
  });
});

test("the pipe may read the stream and start the delivery, and nothing else", () => {
  expect(rights(target(template.only("AWS::Pipes::Pipe").RoleArn))).toEqual([
    ...["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action} events`),
    "dynamodb:ListStreams *",
    `kms:Decrypt key ${viaService("dynamodb")}`, // nothing documents the encryption context of reads of a stream
    `lambda:InvokeFunction ${flat(template.only("AWS::Pipes::Pipe").Target)}`,
  ]);
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

test("there are no roles besides those of the functions, the pipe, the backups and the gateway's logs", () => {
  const known = [
    ...functionIds.map((id) => template.properties(id).Role),
    template.only("AWS::Backup::BackupSelection").BackupSelection.IamRoleArn,
    template.only("AWS::Pipes::Pipe").RoleArn,
    template.only("AWS::ApiGateway::Account").CloudWatchRoleArn,
  ].map(target);
  const roles = template.ofType("AWS::IAM::Role").map(([id]) => id);
  expect(roles.sort()).toEqual(known.sort());
});
