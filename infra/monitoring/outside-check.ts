import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from "aws-cdk-lib/aws-s3";
import { CfnCanary } from "aws-cdk-lib/aws-synthetics";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { arnOf } from "../arn-of.ts";
import { ServiceAlarm } from "./alarms.ts";

/**
 * Reads the published description as a caller does: by its name, with its certificate, through firewall and gateway.
 * Whatever it throws makes the run a failure.
 */
export const SCRIPT = `exports.handler = async () => {
  const response = await fetch(process.env.URL, { signal: AbortSignal.timeout(10_000) });
  if (response.status !== 200) throw new Error("status " + response.status);
  const { openapi } = await response.json();
  if (typeof openapi !== "string") throw new Error("not an OpenAPI document");
};
`;

const RUNTIME = "syn-nodejs-puppeteer-13.0";

/** A canary of CloudWatch Synthetics, which looks at the service from outside of it. */
export class OutsideCheck extends Construct {
  /** The alarm on runs that fail. */
  readonly failing: ServiceAlarm;

  /** @param url of the OpenAPI document */
  constructor(scope: Construct, id: string, url: string, minutes: number) {
    super(scope, id);
    const name = Stack.of(this).stackName;
    const bucket = this.resultsBucket();
    new CfnCanary(this, "Canary", {
      name,
      code: { handler: "index.handler", script: SCRIPT },
      runtimeVersion: RUNTIME,
      schedule: { expression: `rate(${minutes} minute${minutes === 1 ? "" : "s"})` },
      runConfig: { timeoutInSeconds: 30, environmentVariables: { URL: url } },
      startCanaryAfterCreation: true,
      executionRoleArn: this.role(name, bucket).roleArn,
      artifactS3Location: bucket.s3UrlForObject(),
      successRetentionPeriod: 7,
      failureRetentionPeriod: 31,
    });
    const period = Duration.minutes(minutes);
    this.failing = new ServiceAlarm(this, "outside-check-failing", {
      problem: `From outside, the service could not be reached in 2 of 3 attempts, one every ${minutes} minutes.`,
      metric: new MathExpression({
        label: "failed attempts, %",
        expression: "100 - succeeded",
        usingMetrics: {
          succeeded: new Metric({
            namespace: "CloudWatchSynthetics",
            metricName: "SuccessPercent",
            dimensionsMap: { CanaryName: name },
            statistic: "Average",
            period,
          }),
        },
        period,
      }),
      threshold: 50,
      periods: [2, 3],
      severity: "urgent",
    });
  }

  private resultsBucket(): Bucket {
    const bucket = new Bucket(this, "Results", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(31) }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, // a bucket with objects cannot be deleted
    });
    const reason = "It holds the results of a check that reads a public page, for 31 days, and no data of anybody.";
    acknowledge(bucket, {
      "AwsSolutions-S1": reason,
      "HIPAA.Security-S3BucketLoggingEnabled": reason,
      "HIPAA.Security-S3BucketReplicationEnabled": reason,
      "HIPAA.Security-S3BucketVersioningEnabled": reason,
      "HIPAA.Security-S3DefaultEncryptionKMS": reason,
    });
    return bucket;
  }

  /** What a canary needs ("Required roles and permissions for canaries"), without traces. */
  private role(name: string, bucket: Bucket): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const grant = (actions: string[], resource: string, conditions?: Record<string, Record<string, unknown>>) =>
      Grant.addToPrincipal({ grantee: role, actions, resourceArns: [resource], ...(conditions && { conditions }) });
    grant(["s3:PutObject"], bucket.arnForObjects("*"));
    grant(["s3:GetBucketLocation"], bucket.bucketArn);
    const logs = arnOf(this, "logs", "log-group", `/aws/lambda/cwsyn-${name}-*`);
    grant(["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], logs);
    const ofSynthetics = { StringEquals: { "cloudwatch:namespace": "CloudWatchSynthetics" } };
    grant(["cloudwatch:PutMetricData"], "*", ofSynthetics);
    const bucketId = Stack.of(this).getLogicalId(bucket.node.defaultChild as CfnBucket);
    const named = "The names of its own objects and log groups are chosen by the service that runs it.";
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/*]`]: named,
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:/aws/lambda/cwsyn-${name}-*]`]:
        named,
      "AwsSolutions-IAM5[Resource::*]": "Metrics have no resource; the condition restricts them to those of canaries.",
      "HIPAA.Security-IAMNoInlinePolicy":
        "The policy names this bucket and this canary, so no other role could use it.",
    });
    return role;
  }
}
