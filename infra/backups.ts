import { Annotations, Aws, Duration, Fn, RemovalPolicy, Stack } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from "aws-cdk-lib/aws-backup";
import type { CfnTable, Table } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import { arnOf } from "./arn-of.ts";
import type { Encryption } from "./encryption.ts";
import { allowKeyUse, ServiceKey } from "./service-key.ts";
import type { Settings } from "./settings.ts";

/** The shortest time after which a vault lock can no longer be changed ("AWS Backup Vault Lock"). */
const LOCK_CHANGEABLE = Duration.days(3);

/**
 * Nightly backups of the patients table, in a separate vault. Point-in-time recovery undoes mistakes in the table;
 * these backups survive the loss of the table and, if they are copied to another region, the loss of the region.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;
  /** Encrypts the vault, so that losing the tables' key does not lose the backups as well. */
  readonly key: ServiceKey;

  constructor(scope: Construct, id: string, patients: Table, encryption: Encryption, settings: Settings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.key = new ServiceKey(this, "Key", {
      alias: `${stackName}-backups`,
      description: `Backups of ${stackName}`,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, // like the vault
    });
    this.vault = new BackupVault(this, "Vault", {
      // A vault outlives its stack, so a later stack with the same name needs a vault with a different name.
      backupVaultName: `${stackName}-${Fn.select(4, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))))}`,
      encryptionKey: this.key,
      // Backups are deleted only when their retention ends, not by an operator's mistake or the deployment role. An
      // administrator can change this policy, but not the lock.
      blockRecoveryPointDeletion: settings.deletionProtection,
      ...(settings.backupLockDays > 0 && {
        lockConfiguration: { minRetention: Duration.days(settings.backupLockDays), changeableFor: LOCK_CHANGEABLE },
      }),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, // a vault that contains backups cannot be deleted
    });
    const copies = settings.backupCopyVault.startsWith("arn:")
      ? BackupVault.fromBackupVaultArn(this, "Copies", settings.backupCopyVault)
      : undefined;
    if (copies) {
      Annotations.of(this).addInfo(
        `If ${settings.backupCopyVault} is encrypted with a customer-managed key, that key's policy must let the role of the ` +
          "backup plan's selection use it: docs/runbook.md, Alarms, copy-failed, lists the actions.",
      );
    }
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
   * Grants the DynamoDB permissions of `AWSBackupServiceRolePolicyForBackup`, for this table and these keys only. The
   * managed policy itself covers every type of resource in the account.
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
      // On recovery points, whose names are unknown, and not on the vault ("Actions, resources, and condition keys for
      // AWS Backup").
      grant(["backup:CopyFromBackupVault"], "*");
    }
    grant(["backup:TagResource"], arnOf(this, "backup", "recovery-point", "*"));
    for (const key of [encryption.key, this.key]) {
      grant(["kms:DescribeKey"], key.keyArn);
      allowKeyUse(role, key, ["kms:Decrypt", "kms:GenerateDataKey"], "dynamodb");
      Grant.addToPrincipal({
        grantee: role,
        actions: ["kms:CreateGrant"],
        resourceArns: [key.keyArn],
        conditions: { Bool: { "kms:GrantIsForAWSResource": true } },
      });
    }
    const named =
      "AWS generates the names of backups, so the policy can only name all backups of this table, or of this " +
      "account.";
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(patients.node.defaultChild as CfnTable)}.Arn>/backup/*]`]: `${named} The role can only describe this table's backups, and delete them when they are too old.`,
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:backup:<AWS::Region>:<AWS::AccountId>:recovery-point:*]": `${named} The role can only tag them.`,
      "HIPAA.Security-IAMNoInlinePolicy":
        "The policy names this table, this vault and these keys, so no other role could use it.",
    });
    if (copies) {
      acknowledge(role, {
        "AwsSolutions-IAM5[Resource::*]": `${named} It may only be copied into vaults that another statement names.`,
      });
    }
    return role;
  }
}
