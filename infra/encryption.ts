import { Arn, ArnFormat, Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AccountRootPrincipal,
  Grant,
  type IGrantable,
  PolicyDocument,
  PolicyStatement,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { pascalCase } from "./pascal-case.ts";
import type { Settings } from "./settings.ts";

/** Administrative actions on a key. None of them reads data. */
const ADMINISTER = [
  "kms:CancelKeyDeletion",
  "kms:CreateAlias",
  "kms:DeleteAlias",
  "kms:DescribeKey",
  "kms:DisableKey",
  "kms:DisableKeyRotation",
  "kms:EnableKey",
  "kms:EnableKeyRotation",
  "kms:GetKeyPolicy",
  "kms:GetKeyRotationStatus",
  "kms:ListGrants",
  "kms:ListKeyPolicies",
  "kms:ListKeyRotations",
  "kms:ListResourceTags",
  "kms:PutKeyPolicy",
  "kms:RetireGrant",
  "kms:RevokeGrant",
  "kms:RotateKeyOnDemand",
  "kms:ScheduleKeyDeletion",
  "kms:TagResource",
  "kms:UntagResource",
  "kms:UpdateAlias",
  "kms:UpdateKeyDescription",
];

/** Actions for encrypting and decrypting with a symmetric key. */
const USE = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/**
 * The stack's KMS key, which encrypts tables, secrets, logs, backups, queues and topics. Keep it as long as the
 * patients table: data encrypted with a deleted key cannot be recovered.
 */
export class Encryption extends Construct {
  readonly key: Key;
  private readonly logGroups: string[] = [];

  constructor(scope: Construct, id: string, { keepsData }: Settings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const ofAccount = { principals: [new AccountRootPrincipal()], resources: ["*"] };
    this.key = new Key(this, "Key", {
      alias: stackName,
      description: `Patients, threads, secrets and logs of ${stackName}`,
      enableKeyRotation: true,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      // Replaces the default policy, which allows "kms:*". The account's IAM policies determine who may perform these
      // actions ("Default key policy").
      policy: new PolicyDocument({
        statements: [
          new PolicyStatement({ sid: "Administer", actions: ADMINISTER, ...ofAccount }),
          new PolicyStatement({ sid: "Use", actions: USE, ...ofAccount }),
          // Lets DynamoDB and AWS Backup use the key when nobody is calling them.
          new PolicyStatement({
            sid: "LendToServices",
            actions: ["kms:CreateGrant"],
            conditions: { Bool: { "kms:GrantIsForAWSResource": true } },
            ...ofAccount,
          }),
          // "Encrypt log data in CloudWatch Logs using AWS KMS": the encryption context contains the log group's ARN.
          new PolicyStatement({
            sid: "Logs",
            principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
            actions: USE,
            resources: ["*"],
            conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": this.logGroups } },
          }),
        ],
      }),
    });
    this.allowLogGroup(`${stackName}-*`); // the names that CloudFormation generates for this stack's groups
  }

  /** Lets log groups with this name, in which `*` is a wildcard, be encrypted with the key. */
  allowLogGroup(name: string): void {
    const parts = { service: "logs", resource: "log-group", resourceName: name };
    this.logGroups.push(Arn.format({ ...parts, arnFormat: ArnFormat.COLON_RESOURCE_NAME }, Stack.of(this)));
  }

  /**
   * Lets an AWS service write to this account's encrypted queues and topics.
   *
   * @param name such as `events` (EventBridge) or `cloudwatch` (alarms)
   */
  allowService(name: string): void {
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: pascalCase(name),
        principals: [new ServicePrincipal(`${name}.amazonaws.com`)],
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: ["*"],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
  }

  /**
   * Lets a role use the key through one service and, if a context is given, only for one table, secret or queue.
   *
   * @param service such as `dynamodb`
   * @param context the encryption context that the service uses, as its developer guide documents it
   */
  allowUse(grantee: IGrantable, actions: string[], service: string, context: Record<string, string> = {}): void {
    const ofContext = Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
    Grant.addToPrincipal({
      grantee,
      actions,
      resourceArns: [this.key.keyArn],
      conditions: {
        StringEquals: { "kms:ViaService": `${service}.${Aws.REGION}.amazonaws.com`, ...Object.fromEntries(ofContext) },
      },
    });
  }
}
