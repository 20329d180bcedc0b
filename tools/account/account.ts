import { BackupClient } from "@aws-sdk/client-backup";
import {
  CloudFormationClient,
  GetTemplateCommand,
  type Stack,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { CloudTrailClient } from "@aws-sdk/client-cloudtrail";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { CodeDeployClient } from "@aws-sdk/client-codedeploy";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SNSClient } from "@aws-sdk/client-sns";
import { parse } from "yaml";
import { OperationError } from "../aws/explain.ts";
import { describeStack, stackName, stackResources } from "../aws/stack.ts";

/** A property of the account or the stack that only the account can confirm. */
export interface Check {
  /** What should hold, as a sentence. */
  name: string;
  /** What to do if it does not, as a sentence. */
  remedy: string;
  /** Whether it concerns this stack; every stack if omitted. */
  concerns?(account: Account): boolean;
  /**
   * @returns what is wrong, without a key, a phone number or anything that a patient said; undefined if it holds
   * @throws errors of the AWS SDK, which count as a failure
   */
  run(account: Account): Promise<string | undefined>;
}

/** A deployed stage, and clients for its account and region. */
export class Account {
  readonly backup = new BackupClient();
  readonly cloudTrail = new CloudTrailClient();
  readonly cloudWatch = new CloudWatchClient();
  readonly codeDeploy = new CodeDeployClient();
  readonly dynamoDb = new DynamoDBClient();
  readonly kms = new KMSClient();
  readonly lambda = new LambdaClient();
  readonly logs = new CloudWatchLogsClient();
  readonly secrets = new SecretsManagerClient();
  readonly sns = new SNSClient();

  readonly stage: string;
  readonly stack: Stack;
  /** The stage's settings, as they were deployed (the template's metadata). */
  readonly settings: Record<string, unknown>;
  private readonly resources: StackResourceSummary[];

  private constructor(
    stage: string,
    stack: Stack,
    settings: Record<string, unknown>,
    resources: StackResourceSummary[],
  ) {
    this.stage = stage;
    this.stack = stack;
    this.settings = settings;
    this.resources = resources;
  }

  /** @throws OperationError when the stage is not deployed here; errors of the AWS SDK */
  static async open(stage: string): Promise<Account> {
    const cloudFormation = new CloudFormationClient();
    const resources = await stackResources(cloudFormation, stage);
    const stack = await describeStack(cloudFormation, stackName(stage));
    const { TemplateBody = "{}" } = await cloudFormation.send(new GetTemplateCommand({ StackName: stackName(stage) }));
    // The CDK uploads JSON, except for small templates.
    return new Account(stage, stack as Stack, parse(TemplateBody).Metadata?.Settings ?? {}, resources);
  }

  /** The name of the stack, which begins the names of its alarms. */
  get name(): string {
    return stackName(this.stage);
  }

  /**
   * @param logicalId the beginning of the logical ID
   * @returns the physical IDs of the stack's resources of a type
   */
  all(type: string, logicalId = ""): string[] {
    return this.resources
      .filter(
        ({ ResourceType, LogicalResourceId = "" }) => ResourceType === type && LogicalResourceId.startsWith(logicalId),
      )
      .map(({ PhysicalResourceId = "" }) => PhysicalResourceId);
  }

  /** As {@link all}, for exactly one resource. */
  one(type: string, logicalId = ""): string {
    const [id, ...more] = this.all(type, logicalId);
    if (!id || more.length > 0) {
      throw new OperationError(
        `The stack has ${more.length + (id ? 1 : 0)} resources of type ${type}, instead of one.`,
      );
    }
    return id;
  }

  get patientsTable(): string {
    return this.one("AWS::DynamoDB::Table", "TablesPatients");
  }

  get vault(): string {
    return this.one("AWS::Backup::BackupVault");
  }

  output(name: string): string | undefined {
    return this.stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  }
}
