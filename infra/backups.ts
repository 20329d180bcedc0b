import { ArnFormat, Aws, Duration, Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from "aws-cdk-lib/aws-backup";
import type { CfnTable, Table } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Encryption } from "./encryption.ts";
import type { Settings } from "./settings.ts";

/**
 * A backup of the patients each night, in a vault of its own. Point-in-time recovery undoes a mistake in the table; this
 * survives the loss of the table, and its copy in another region, if there is one, the loss of the region.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, patients: Table, encryption: Encryption, settings: Settings) {
    super(scope, id);
    this.vault = new BackupVault(this, "Vault", {
      // A vault outlives its stack, and the next stack of that name needs one too.
      backupVaultName: `${Stack.of(this).stackName}-${Fn.select(4, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))))}`,
      encryptionKey: encryption.key,
      // Only age deletes a backup: not an operator's mistake, and not the role that deploys.
      blockRecoveryPointDeletion: settings.deletionProtection,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, // CloudFormation cannot delete a vault that holds backups
    });
    const copies = settings.backupCopyVault
      ? BackupVault.fromBackupVaultArn(this, "Copies", settings.backupCopyVault)
      : undefined;
    const plan = new BackupPlan(this, "Plan", { backupVault: this.vault });
    plan.addRule(
      new BackupPlanRule({
        ruleName: "nightly",
        scheduleExpression: Schedule.cron({ hour: "3", minute: "30" }),
        startWindow: Duration.hours(1),
        completionWindow: Duration.hours(4),
        deleteAfter: Duration.days(settings.backupDays),
        ...(copies && {
          copyActions: [{ destinationBackupVault: copies, deleteAfter: Duration.days(settings.backupDays) }],
        }),
      }),
    );
    const role = this.backupRole(patients, encryption, copies);
    plan.addSelection("Patients", {
      resources: [BackupResource.fromDynamoDbTable(patients)],
      role,
      disableDefaultBackupPolicy: true,
    });
  }

  /**
   * What `AWSBackupServiceRolePolicyForBackup` has for DynamoDB, for this table and key alone; that policy itself is for
   * every kind of resource in the account.
   */
  private backupRole(patients: Table, encryption: Encryption, copies: IBackupVault | undefined): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("backup.amazonaws.com") });
    const grant = (actions: string[], ...resourceArns: string[]) =>
      Grant.addToPrincipal({ grantee: role, actions, resourceArns });
    grant(
      ["dynamodb:CreateBackup", "dynamodb:DescribeTable", "dynamodb:ListTagsOfResource", "dynamodb:StartAwsBackupJob"],
      patients.tableArn,
    );
    grant(["dynamodb:DeleteBackup", "dynamodb:DescribeBackup"], `${patients.tableArn}/backup/*`);
    const into = ["backup:CopyIntoBackupVault", "backup:DescribeBackupVault"];
    grant(into, this.vault.backupVaultArn);
    if (copies) {
      grant(into, copies.backupVaultArn);
      grant(["backup:CopyFromBackupVault"], this.vault.backupVaultArn);
    }
    grant(
      ["backup:TagResource"],
      Stack.of(this).formatArn({
        service: "backup",
        resource: "recovery-point",
        resourceName: "*",
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
    grant(["kms:DescribeKey"], encryption.key.keyArn);
    encryption.allowUse(role, ["kms:Decrypt", "kms:GenerateDataKey"], "dynamodb");
    Grant.addToPrincipal({
      grantee: role,
      actions: ["kms:CreateGrant"],
      resourceArns: [encryption.key.keyArn],
      conditions: { Bool: { "kms:GrantIsForAWSResource": true } },
    });
    const named =
      "The service makes up the names of backups, so only those of this table, or of this account, can be meant.";
    Validations.of(role).acknowledge(
      {
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(patients.node.defaultChild as CfnTable)}.Arn>/backup/*]`,
        reason: `${named} Its own backups are all that the role may look at or delete, when they are too old.`,
      },
      {
        id: "AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:backup:<AWS::Region>:<AWS::AccountId>:recovery-point:*]",
        reason: `${named} The role may do nothing with them but tag them.`,
      },
      {
        id: "HIPAA.Security::HIPAA.Security-IAMNoInlinePolicy",
        reason: "The policy names this table, this vault and this key; it is of no use to any other role.",
      },
    );
    return role;
  }
}
