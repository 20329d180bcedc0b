import { Arn, ArnFormat, Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { ServiceKey, USE } from "./service-key.ts";
import type { Settings } from "./settings.ts";

/**
 * The stack's KMS key, which encrypts tables, secrets and logs. Keep it as long as the patients table: data encrypted
 * with a deleted key cannot be recovered. Backups have a key of their own (`backups.ts`).
 */
export class Encryption extends Construct {
  readonly key: ServiceKey;
  private readonly logGroups: string[] = [];

  constructor(scope: Construct, id: string, { keepsData }: Settings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.key = new ServiceKey(this, "Key", {
      alias: stackName,
      description: `Patients, threads, secrets and logs of ${stackName}`,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    // "Encrypt log data in CloudWatch Logs using AWS KMS": the encryption context contains the log group's ARN.
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: "Logs",
        principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
        actions: USE,
        resources: ["*"],
        conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": this.logGroups } },
      }),
    );
    this.allowLogGroup(`${stackName}-*`); // the names that CloudFormation generates for this stack's groups
  }

  /** Lets log groups with this name, in which `*` is a wildcard, be encrypted with the key. */
  allowLogGroup(name: string): void {
    const parts = { service: "logs", resource: "log-group", resourceName: name };
    this.logGroups.push(Arn.format({ ...parts, arnFormat: ArnFormat.COLON_RESOURCE_NAME }, Stack.of(this)));
  }
}
