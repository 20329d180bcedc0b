import { Aws, type RemovalPolicy } from "aws-cdk-lib";
import { AccountRootPrincipal, Grant, type IGrantable, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

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
export const USE = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

interface ServiceKeyProps {
  alias: string;
  description: string;
  removalPolicy: RemovalPolicy;
}

/** A KMS key that is rotated and whose policy names every action. */
export class ServiceKey extends Key {
  constructor(scope: Construct, id: string, props: ServiceKeyProps) {
    const ofAccount = { principals: [new AccountRootPrincipal()], resources: ["*"] };
    super(scope, id, {
      ...props,
      enableKeyRotation: true,
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
        ],
      }),
    });
  }
}

/**
 * Lets a role use a key through one service and, if a context is given, only for one table or secret. The key's policy
 * names no role, so a role in another stack needs nothing else.
 *
 * @param service such as `dynamodb`
 * @param context the encryption context that the service uses, as its developer guide documents it
 */
export function allowKeyUse(
  grantee: IGrantable,
  { keyArn }: IKey,
  actions: string[],
  service: string,
  context: Record<string, string> = {},
): void {
  const ofContext = Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
  Grant.addToPrincipal({
    grantee,
    actions,
    resourceArns: [keyArn],
    conditions: {
      StringEquals: { "kms:ViaService": `${service}.${Aws.REGION}.amazonaws.com`, ...Object.fromEntries(ofContext) },
    },
  });
}
