import { Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { arnOf } from "./arn-of.ts";
import { ServiceKey, USE } from "./service-key.ts";
import type { Settings } from "./settings.ts";

/**
 * The names of the service's log groups: those that CloudFormation generates, and those that AWS prescribes for the
 * firewall and for the API, whose ID another stack cannot know.
 */
const logGroupsOf = (serviceName: string) => [
  `${serviceName}-*`,
  `aws-waf-logs-${serviceName}`,
  "API-Gateway-Execution-Logs_*",
];

/**
 * The KMS key that encrypts tables, secrets and the service's logs. Keep it as long as the patients table: data
 * encrypted with a deleted key cannot be recovered. Backups have a key of their own (`backups.ts`).
 */
export class Encryption extends Construct {
  readonly key: ServiceKey;

  /** @param serviceName the name of the service stack, with which the names of its log groups begin */
  constructor(scope: Construct, id: string, serviceName: string, { keepsData }: Settings) {
    super(scope, id);
    const stack = Stack.of(this);
    this.key = new ServiceKey(this, "Key", {
      alias: stack.stackName,
      description: `Patients, threads, secrets and logs of ${serviceName}`,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const logGroups = logGroupsOf(serviceName).map((name) => arnOf(this, "logs", "log-group", name));
    // "Encrypt log data in CloudWatch Logs using AWS KMS": the encryption context contains the log group's ARN.
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: "Logs",
        principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
        actions: USE,
        resources: ["*"],
        conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": logGroups } },
      }),
    );
  }
}
