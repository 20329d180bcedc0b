import { Aws, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { CfnTrail } from "aws-cdk-lib/aws-cloudtrail";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import { arnOf } from "./arn-of.ts";
import type { Settings } from "./settings.ts";

/**
 * A record of who accessed patients that nobody can change: a trail of every direct access to the patients table, which
 * no log of the service contains, in a bucket with Object Lock. Logs can be exported to the same bucket
 * (docs/operations.md, Audit).
 */
export class AuditArchive extends Construct {
  constructor(scope: Construct, id: string, patients: Table, { auditArchiveDays }: Settings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const bucket = this.lockedBucket(auditArchiveDays);
    const trailName = `${stackName}-patients`;
    const trailArn = Stack.of(this).formatArn({ service: "cloudtrail", resource: "trail", resourceName: trailName });
    // "Amazon S3 bucket policy for CloudTrail", "Export log data to Amazon S3"
    this.allow(bucket, "cloudtrail.amazonaws.com", trailArn);
    this.allow(bucket, `logs.${Aws.REGION}.amazonaws.com`, arnOf(this, "logs", "log-group", "*"));
    const trail = new CfnTrail(this, "Trail", {
      trailName,
      s3BucketName: bucket.bucketName,
      isLogging: true,
      isMultiRegionTrail: false,
      includeGlobalServiceEvents: false,
      enableLogFileValidation: true,
      advancedEventSelectors: [
        {
          name: "Every access to patients",
          fieldSelectors: [
            { field: "eventCategory", equalTo: ["Data"] },
            { field: "resources.type", equalTo: ["AWS::DynamoDB::Table"] },
            { field: "resources.ARN", startsWith: [patients.tableArn] }, // and its index
          ],
        },
      ],
    });
    trail.node.addDependency(bucket);
    const noHealthData = "It contains the names and IDs of accesses: no health data, and nothing that a patient said. ";
    acknowledge(trail, {
      "HIPAA.Security-CloudTrailCloudWatchLogsEnabled": `${noHealthData}A copy in CloudWatch Logs could be deleted by the people whose accesses it records.`,
      "HIPAA.Security-CloudTrailEncryptionEnabled": `${noHealthData}The record must remain readable when a key is lost; S3 encrypts it with its own key.`,
    });
    new CfnOutput(Stack.of(this), "AuditArchive", {
      value: bucket.bucketName,
      description: "The bucket of the audit trail, to which logs can be exported",
    });
  }

  private lockedBucket(days: number): Bucket {
    const bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(days)),
      lifecycleRules: [{ expiration: Duration.days(days + 1), noncurrentVersionExpiration: Duration.days(1) }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, // a bucket with locked objects cannot be deleted
    });
    const logging =
      "It holds the record of accesses itself. A log of requests to it would need another bucket, whose requests " +
      "would not be logged either.";
    acknowledge(bucket, {
      "AwsSolutions-S1": logging,
      "HIPAA.Security-S3BucketLoggingEnabled": logging,
      "HIPAA.Security-S3BucketReplicationEnabled":
        "Nobody can delete its objects before their retention ends. It is lost only with its region, like the logs " +
        "that it is made from.",
      "HIPAA.Security-S3DefaultEncryptionKMS":
        "The record must remain readable when a key is lost. It contains no health data, and S3 encrypts it with its " +
        "own key.",
    });
    return bucket;
  }

  /** Lets an AWS service write to the bucket on behalf of this account's resource. */
  private allow(bucket: Bucket, service: string, sourceArn: string): void {
    const principals = [new ServicePrincipal(service)];
    const ofAccount = {
      StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID },
      ArnLike: { "aws:SourceArn": sourceArn },
    };
    bucket.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ["s3:GetBucketAcl"],
        resources: [bucket.bucketArn],
        conditions: ofAccount,
      }),
    );
    bucket.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ["s3:PutObject"],
        resources: [bucket.arnForObjects("*")],
        conditions: {
          ...ofAccount,
          StringEquals: { ...ofAccount.StringEquals, "s3:x-amz-acl": "bucket-owner-full-control" },
        },
      }),
    );
  }
}
