import { Backup } from "@aws-sdk/client-backup";
import { CloudFormation } from "@aws-sdk/client-cloudformation";
import { CloudTrail } from "@aws-sdk/client-cloudtrail";
import { CloudWatch } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { CodeDeploy } from "@aws-sdk/client-codedeploy";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { KMS } from "@aws-sdk/client-kms";
import { Lambda } from "@aws-sdk/client-lambda";
import { SecretsManager } from "@aws-sdk/client-secrets-manager";
import { SNS } from "@aws-sdk/client-sns";
import { parse } from "yaml";
import { onlyResource, patientsTable, readStack, stackNames } from "../aws/stack.ts";

/** A property of the account or the stacks that only the account can confirm. */
export interface Check {
  /** What should hold, as a sentence. */
  name: string;
  /** What to do if it does not, as a sentence. */
  remedy: string;
  /** Whether it concerns this stage; every stage if omitted. */
  concerns?(account: Account): boolean;
  /**
   * @returns what is wrong, without a key, a phone number or anything that a patient said; undefined if it holds
   * @throws errors of the AWS SDK, which count as a failure
   */
  run(account: Account): Promise<string | undefined>;
}

/** A deployed stage, and clients for its account and region. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** @throws OperationError when the stage is not deployed here; errors of the AWS SDK */
export async function openAccount(stage: string) {
  const cloudFormation = new CloudFormation();
  const names = stackNames(stage);
  const data = await readStack(cloudFormation, names.data);
  const service = await readStack(cloudFormation, names.service);
  const resources = [...data.resources, ...service.resources];
  const { TemplateBody = "{}" } = await cloudFormation.getTemplate({ StackName: names.service });
  return {
    backup: new Backup(),
    cloudTrail: new CloudTrail(),
    cloudWatch: new CloudWatch(),
    codeDeploy: new CodeDeploy(),
    dynamoDb: new DynamoDB(),
    kms: new KMS(),
    lambda: new Lambda(),
    logs: new CloudWatchLogs(),
    secrets: new SecretsManager(),
    sns: new SNS(),
    stage,
    stacks: { data: data.stack, service: service.stack },
    /** The name of the service stack, which begins the names of its alarms. */
    name: names.service,
    /** The stage's settings, as they were deployed. The CDK uploads JSON, except for small templates. */
    settings: (parse(TemplateBody).Metadata?.Settings ?? {}) as Record<string, unknown>,
    /** @returns the physical IDs of the stage's resources of a type */
    all: (type: string) =>
      resources
        .filter(({ ResourceType }) => ResourceType === type)
        .map(({ PhysicalResourceId = "" }) => PhysicalResourceId),
    /** As {@link onlyResource}, of both stacks. */
    one: (type: string, logicalId?: string) => onlyResource(resources, type, logicalId),
    get patientsTable() {
      return patientsTable(resources);
    },
    get vault() {
      return onlyResource(resources, "AWS::Backup::BackupVault");
    },
    /** @returns an output of the service stack */
    output: (key: string) => service.stack.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue,
  };
}
