import { describe, expect, test } from "@jest/globals";
import { flat, type Properties, Template } from "../helpers/template/template.ts";

const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const [keyId, key] = template.one("AWS::KMS::Key", ({ Description }) => Description.startsWith("Patients"));
const [backupKeyId, backupKey] = template.one("AWS::KMS::Key", ({ Description }) => Description.startsWith("Backups"));
const statements: Properties[] = key.Properties.KeyPolicy.Statement;
const statement = (sid: string): Properties => statements.find(({ Sid }) => Sid === sid) ?? {};

/** Every resource type that stores something, with the property that names its key, and the key. */
const ENCRYPTED: [type: string, keyOf: (properties: Properties) => unknown, count: number, by: string | undefined][] = [
  ["AWS::DynamoDB::Table", ({ SSESpecification }) => SSESpecification?.KMSMasterKeyId, 6, keyId],
  ["AWS::SecretsManager::Secret", ({ KmsKeyId }) => KmsKeyId, 2, keyId],
  // A lost key must not take the backups with it, or silence the alarms that report it.
  ["AWS::Backup::BackupVault", ({ EncryptionKeyArn }) => EncryptionKeyArn, 1, backupKeyId],
  ["AWS::SNS::Topic", ({ KmsMasterKeyId }) => KmsMasterKeyId, 2, undefined],
];

test.each(ENCRYPTED)("each %s is encrypted with the key for its data", (type, keyOf, count, by) => {
  const found = template.ofType(type);
  expect(found).toHaveLength(count);
  for (const [, { Properties }] of found) {
    expect(keyOf(Properties)).toEqual(by && { "Fn::GetAtt": [by, "Arn"] });
  }
});

test("the key of the backups is retained like the vault, even in dev, and used for nothing else", () => {
  expect([backupKey.DeletionPolicy, backupKey.UpdateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
  const base = statements.filter(({ Sid }) => Sid !== "Logs");
  expect(backupKey.Properties.KeyPolicy.Statement).toEqual(base);
});

describe("the key", () => {
  test("has a policy without action wildcards that grants access only to this account and the service of logs", () => {
    const root = "arn:<AWS::Partition>:iam::<AWS::AccountId>:root";
    const principals = statements.map(({ Sid, Principal }) => [Sid, flat(Principal.AWS ?? Principal.Service)]);
    expect(principals).toEqual([
      ["Administer", root],
      ["Use", root],
      ["LendToServices", root],
      ["Logs", "logs.<AWS::Region>.amazonaws.com"],
    ]);
    expect(statements.flatMap(({ Action }) => Action).filter((action: string) => action.includes("*"))).toEqual([]);
  });

  test("gives its administrators no permission to decrypt", () => {
    const reading = statement("Administer").Action.filter((action: string) =>
      /Encrypt|Decrypt|GenerateDataKey|CreateGrant/.test(action),
    );
    expect(reading).toEqual([]);
  });

  test("allows grants for AWS services only", () => {
    expect(statement("LendToServices")).toMatchObject({
      Action: "kms:CreateGrant",
      Condition: { Bool: { "kms:GrantIsForAWSResource": true } },
    });
  });

  test("encrypts the logs of this service, of APIs, and no others", () => {
    const { Condition } = statement("Logs");
    const prefix = "arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:";
    expect(Condition.ArnLike["kms:EncryptionContext:aws:logs:arn"].map(flat)).toEqual([
      `${prefix}health-assistant-dev-*`,
      `${prefix}aws-waf-logs-health-assistant-dev`,
      `${prefix}API-Gateway-Execution-Logs_*`,
    ]);
  });
});
