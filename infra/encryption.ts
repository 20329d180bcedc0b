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

/** What a key's owner does with it, short of using it: none of these reads anything. */
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

/** What encrypts and decrypts with a symmetric key. */
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
 * The stack's one key: for tables, secrets, logs, backups, queues and topics. It goes where the patients go: a table that
 * outlives its key cannot be read again.
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
      // In place of the usual "kms:*". The account's own policies say who of it may do these things ("Default key policy").
      policy: new PolicyDocument({
        statements: [
          new PolicyStatement({ sid: "Administer", actions: ADMINISTER, ...ofAccount }),
          new PolicyStatement({ sid: "Use", actions: USE, ...ofAccount }),
          // How DynamoDB and AWS Backup go on using the key when nobody is calling them.
          new PolicyStatement({
            sid: "LendToServices",
            actions: ["kms:CreateGrant"],
            conditions: { Bool: { "kms:GrantIsForAWSResource": true } },
            ...ofAccount,
          }),
          // "Encrypt log data in CloudWatch Logs using AWS KMS": the context names the group that is written or read.
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
    this.allowLogGroup(`${stackName}-*`); // what CloudFormation calls the groups of this stack
  }

  /** Lets groups of this name (`*` stands for anything) be encrypted with the key. */
  allowLogGroup(name: string): void {
    const parts = { service: "logs", resource: "log-group", resourceName: name };
    this.logGroups.push(Arn.format({ ...parts, arnFormat: ArnFormat.COLON_RESOURCE_NAME }, Stack.of(this)));
  }

  /**
   * Lets a service write to encrypted queues and topics of this account on its own.
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
   * Lets a role use the key by way of one service, and where possible only for one table, secret or queue.
   *
   * @param service such as `dynamodb`
   * @param context what that service puts into the encryption context, as its own guide says
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
