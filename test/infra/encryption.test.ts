import { describe, expect, test } from "@jest/globals";
import { flat, type Properties, Template } from "../helpers/template/template.ts";

const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const [keyId, key] = template.one("AWS::KMS::Key");
const keyArn = { "Fn::GetAtt": [keyId, "Arn"] };
const statements: Properties[] = key.Properties.KeyPolicy.Statement;
const statement = (sid: string): Properties => statements.find(({ Sid }) => Sid === sid) ?? {};

/** Every resource type that stores data, with the property that names its key. */
const ENCRYPTED: [type: string, keyOf: (properties: Properties) => unknown, count: number][] = [
  ["AWS::DynamoDB::Table", ({ SSESpecification }) => SSESpecification?.KMSMasterKeyId, 3],
  ["AWS::SecretsManager::Secret", ({ KmsKeyId }) => KmsKeyId, 2],
  ["AWS::SQS::Queue", ({ KmsMasterKeyId }) => KmsMasterKeyId, 0],
  ["AWS::SNS::Topic", ({ KmsMasterKeyId }) => KmsMasterKeyId, 2],
  ["AWS::Backup::BackupVault", ({ EncryptionKeyArn }) => EncryptionKeyArn, 1],
];

test.each(ENCRYPTED)("each %s is encrypted with the stack's key", (type, keyOf, count) => {
  const found = template.ofType(type);
  expect(found).toHaveLength(count);
  for (const [, { Properties }] of found) {
    expect(keyOf(Properties)).toEqual(keyArn);
  }
});

describe("the key", () => {
  test("is rotated", () => {
    expect(key.Properties.EnableKeyRotation).toBe(true);
  });

  test("has a policy without action wildcards that grants access only to this account and four services", () => {
    const root = "arn:<AWS::Partition>:iam::<AWS::AccountId>:root";
    const principals = statements.map(({ Sid, Principal }) => [Sid, flat(Principal.AWS ?? Principal.Service)]);
    expect(principals).toEqual([
      ["Administer", root],
      ["Use", root],
      ["LendToServices", root],
      ["Logs", "logs.<AWS::Region>.amazonaws.com"],
      ["Cloudwatch", "cloudwatch.amazonaws.com"],
      ["Events", "events.amazonaws.com"],
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
    for (const sid of ["Events", "Cloudwatch"]) {
      expect(statement(sid)).toMatchObject({
        Action: ["kms:Decrypt", "kms:GenerateDataKey"],
        Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
      });
    }
  });

  test("encrypts the logs of this stack and no other", () => {
    const { Condition } = statement("Logs");
    const prefix = "arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:";
    const [api] = template.one("AWS::ApiGateway::RestApi");
    expect(Condition.ArnLike["kms:EncryptionContext:aws:logs:arn"].map(flat)).toEqual([
      `${prefix}health-assistant-dev-*`,
      `${prefix}API-Gateway-Execution-Logs_<${api}>/v1`,
      `${prefix}aws-waf-logs-health-assistant-dev`,
    ]);
  });
});

describe("a resource policy denies plain HTTP for", () => {
  const policies = [
    ...template.ofType("AWS::DynamoDB::Table").map(([id, { Properties }]) => [id, Properties.ResourcePolicy]),
    ...template.ofType("AWS::SecretsManager::ResourcePolicy").map(([id, { Properties }]) => [id, Properties]),
    ...template.ofType("AWS::SQS::QueuePolicy").map(([id, { Properties }]) => [id, Properties]),
    ...template.ofType("AWS::SNS::TopicPolicy").map(([id, { Properties }]) => [id, Properties]),
  ] as [string, Properties][];

  test.each(policies)("%s", (_, policy) => {
    const document = policy.PolicyDocument ?? policy.ResourcePolicy;
    expect(document.Statement).toContainEqual(
      expect.objectContaining({
        Effect: "Deny",
        Action: expect.stringMatching(/^(dynamodb:\*|secretsmanager:\*|sqs:\*|sns:Publish)$/),
        Condition: { Bool: { "aws:SecureTransport": expect.anything() } },
      }),
    );
    const [{ Principal }] = document.Statement;
    expect(Principal.AWS ?? Principal).toBe("*");
    expect(String(document.Statement[0].Condition.Bool["aws:SecureTransport"])).toBe("false");
  });

  test("all tables, both secrets and both topics", () => {
    expect(policies).toHaveLength(7);
  });
});
