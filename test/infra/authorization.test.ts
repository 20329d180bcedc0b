import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { stageAssemblies } from "../helpers/template/stages.ts";
import { flat, type Properties, type Resource, Template } from "../helpers/template/template.ts";

/**
 * Which resources each action can be narrowed to ("Actions, resources, and condition keys for AWS services", Service
 * Authorization Reference). IAM denies an action whose statement names another kind of resource, as if it were not
 * granted at all. A kind is a resource type of the template and what follows its ARN, or the beginning of an ARN.
 */
const RESOURCES: Record<string, string[]> = {
  "dynamodb:BatchWriteItem": ["AWS::DynamoDB::Table"],
  "dynamodb:ConditionCheckItem": ["AWS::DynamoDB::Table"],
  "dynamodb:CreateBackup": ["AWS::DynamoDB::Table"],
  "dynamodb:DeleteBackup": ["AWS::DynamoDB::Table/backup"],
  "dynamodb:DeleteItem": ["AWS::DynamoDB::Table"],
  "dynamodb:DescribeBackup": ["AWS::DynamoDB::Table/backup"],
  "dynamodb:DescribeStream": ["AWS::DynamoDB::Table"], // its stream
  "dynamodb:DescribeTable": ["AWS::DynamoDB::Table"],
  "dynamodb:GetItem": ["AWS::DynamoDB::Table"],
  "dynamodb:GetRecords": ["AWS::DynamoDB::Table"],
  "dynamodb:GetShardIterator": ["AWS::DynamoDB::Table"],
  "dynamodb:ListStreams": ["*"],
  "dynamodb:ListTagsOfResource": ["AWS::DynamoDB::Table"],
  "dynamodb:PutItem": ["AWS::DynamoDB::Table"],
  "dynamodb:Query": ["AWS::DynamoDB::Table", "AWS::DynamoDB::Table/index"],
  "dynamodb:StartAwsBackupJob": ["AWS::DynamoDB::Table"],
  "dynamodb:UpdateItem": ["AWS::DynamoDB::Table"],
  "kms:CreateGrant": ["AWS::KMS::Key"],
  "kms:Decrypt": ["AWS::KMS::Key"],
  "kms:DescribeKey": ["AWS::KMS::Key"],
  "kms:GenerateDataKey": ["AWS::KMS::Key"],
  "secretsmanager:GetSecretValue": ["AWS::SecretsManager::Secret", "secretsmanager:secret"],
  "logs:CreateLogStream": ["AWS::Logs::LogGroup"], // its ARN ends with `:*`, which covers the streams
  "logs:PutLogEvents": ["AWS::Logs::LogGroup"],
  "lambda:GetAccountSettings": ["*"],
  "lambda:GetAlias": ["AWS::Lambda::Function", "AWS::Lambda::Function:live"],
  "lambda:GetProvisionedConcurrencyConfig": ["AWS::Lambda::Function", "AWS::Lambda::Function:live"],
  "lambda:InvokeFunction": ["AWS::Lambda::Function", "AWS::Lambda::Function:*", "AWS::Lambda::Alias"],
  "lambda:UpdateAlias": ["AWS::Lambda::Function", "AWS::Lambda::Function:live"],
  "cloudwatch:DescribeAlarms": ["*"], // "alarm:*" for any call that lists alarms, and for composite alarms
  "codedeploy:GetDeployment": ["codedeploy:deploymentgroup"],
  // The reference names no resource, but AWS's own templates narrow it to the group ("Gradual deployments", AWS SAM).
  "codedeploy:PutLifecycleEventHookExecutionStatus": ["codedeploy:deploymentgroup"],
  "backup:CopyFromBackupVault": ["*"], // on recovery points, not on the vault
  "backup:CopyIntoBackupVault": ["AWS::Backup::BackupVault", "backup:backup-vault"],
  "backup:DescribeBackupVault": ["AWS::Backup::BackupVault", "backup:backup-vault"],
  "backup:TagResource": ["backup:recovery-point"],
  "cloudtrail:DescribeTrails": ["*"],
  "cloudtrail:GetEventSelectors": ["cloudtrail:trail"],
  "cloudtrail:GetTrailStatus": ["cloudtrail:trail"],
  "cloudformation:DeleteChangeSet": ["cloudformation:stack"],
  "cloudformation:DescribeChangeSet": ["cloudformation:stack"],
  "cloudformation:DescribeStacks": ["cloudformation:stack"],
  "cloudformation:GetTemplate": ["cloudformation:stack"],
  "sts:AssumeRole": ["iam:role"],
};

/** The kind of resource that a statement names. */
function kindOf(resource: unknown, resources: Record<string, Resource>): string {
  const text = flat((resource as Properties)["Fn::Sub"] ?? resource).replaceAll(/\$\{[^}]*\}/g, "x");
  const [, id, rest = ""] = /^<(\w+)>(.*)$/.exec(text) ?? [];
  const [, service, name] = /^arn:[^:]*:([\w-]+):[^:]*:[^:]*:([\w-]+)/.exec(text.replaceAll(/<[\w:]+>/g, "x")) ?? [];
  return id ? `${resources[id]?.Type}${rest.replace(/(\/\w+)\/.*/, "$1")}` : name ? `${service}:${name}` : text;
}

const folder = await stageAssemblies();
const pipeline = JSON.parse(readFileSync(join(import.meta.dirname, "../../.github/pipeline-role.json"), "utf8"));

test.each([
  ["prod", new Template(join(folder, "prod")).resources],
  ["prod with every option", new Template(join(folder, "options")).resources],
  ["the pipeline", pipeline.Resources as Record<string, Resource>],
])("every action in %s is granted on a kind of resource that it can be narrowed to", (_, resources) => {
  const policies = Object.values(resources).flatMap(({ Type, Properties }) =>
    Type === "AWS::IAM::Policy" ? [Properties] : Type === "AWS::IAM::Role" ? (Properties.Policies ?? []) : [],
  );
  const granted = policies.flatMap(({ PolicyDocument }: Properties) =>
    PolicyDocument.Statement.flatMap(({ Action, Resource }: Properties) =>
      [Action].flat().flatMap((action: string) => [Resource].flat().map((one) => [action, kindOf(one, resources)])),
    ),
  );
  expect(granted.length).toBeGreaterThan(5);
  const wrong = granted.filter(([action, kind]) => !RESOURCES[action]?.includes(kind));
  expect([...new Set(wrong.map((pair) => pair.join(" on ")))]).toEqual([]);
});
