import { MODEL_KEY_PLACEHOLDER } from "../../shared/config.ts";
import { ENABLE_ADVANCED_BACKUPS, hasAdvancedBackups } from "../aws/backup-settings.ts";
import { kmsTrails } from "../aws/kms-trails.ts";
import type { Check } from "./account.ts";

const RESTORE = "deploy again, which restores what the template says";

/** What can be checked without changing anything. */
export const CHECKS: Check[] = [
  {
    name: "Both stacks are deployed completely",
    remedy: "Read the stack's events in CloudFormation, and deploy again.",
    run: async ({ stacks }) =>
      listOf(
        Object.values(stacks).map(({ StackName, StackStatus = "" }) =>
          unless(/^(CREATE|UPDATE)_COMPLETE$/.test(StackStatus), `the status of ${StackName} is ${StackStatus}`),
        ),
      ),
  },
  {
    name: "The data stack is protected from deletion",
    remedy: `A first deployment that was interrupted leaves it unprotected: ${RESTORE}.`,
    concerns: ({ settings }) => settings.deletionProtection === true,
    run: async ({ dynamoDb, patientsTable: TableName, stacks }) => {
      const { Table } = await dynamoDb.describeTable({ TableName });
      const isProtected = stacks.data.EnableTerminationProtection && Table?.DeletionProtectionEnabled;
      return unless(isProtected, "the stack or the patients table can be deleted");
    },
  },
  {
    name: "At least 100 concurrent executions of Lambda stay unreserved",
    remedy: "Request a higher quota (Service Quotas, code L-B99A9384).",
    run: async ({ lambda }) => {
      const { AccountLimit } = await lambda.getAccountSettings();
      const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
      return unless(unreserved >= 100, `${unreserved} are unreserved`);
    },
  },
  {
    name: "The stack's KMS keys are enabled, and rotated every year",
    remedy: `Cancel a scheduled deletion at once (aws kms cancel-key-deletion), enable the key, and ${RESTORE}.`,
    run: async ({ all, kms }) => {
      const faults = all("AWS::KMS::Key").map(async (KeyId) => {
        const { KeyMetadata } = await kms.describeKey({ KeyId });
        const { KeyRotationEnabled } = await kms.getKeyRotationStatus({ KeyId });
        return KeyMetadata?.KeyState === "Enabled"
          ? unless(KeyRotationEnabled, `${KeyId} is not rotated`)
          : `${KeyId} is ${KeyMetadata?.KeyState}`;
      });
      return listOf(await Promise.all(faults));
    },
  },
  {
    name: "Patients can be restored to any point in time",
    remedy: `Somebody disabled point-in-time recovery: ${RESTORE}.`,
    run: async ({ dynamoDb, patientsTable: TableName }) => {
      const { ContinuousBackupsDescription } = await dynamoDb.describeContinuousBackups({ TableName });
      const status = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
      return unless(status === "ENABLED", `point-in-time recovery is ${status}`);
    },
  },
  {
    name: "A backup of patients has completed",
    remedy:
      "Run this script with --try, which starts one, or read why the last one failed (aws backup list-backup-jobs).",
    run: async ({ backup, vault: ByBackupVaultName }) => {
      const { BackupJobs = [] } = await backup.listBackupJobs({ ByBackupVaultName });
      const completed = BackupJobs.some(({ State }) => State === "COMPLETED");
      return unless(completed, `of ${BackupJobs.length} jobs, none has`);
    },
  },
  {
    name: "Backups are encrypted with the vault's own key",
    remedy: `Enable AWS Backup's advanced features for DynamoDB (${ENABLE_ADVANCED_BACKUPS}); this applies to later backups.`,
    run: async ({ backup, vault: BackupVaultName }) => {
      const { EncryptionKeyArn } = await backup.describeBackupVault({ BackupVaultName });
      const { RecoveryPoints = [] } = await backup.listRecoveryPointsByBackupVault({ BackupVaultName });
      const others = RecoveryPoints.filter((point) => point.EncryptionKeyArn !== EncryptionKeyArn);
      return unless(others.length === 0, `${others.length} of ${RecoveryPoints.length} have another key`);
    },
  },
  {
    name: "The vault is locked, so that nobody can delete a backup",
    remedy: `Nobody can change a lock after three days; before that, somebody can remove it: ${RESTORE}.`,
    concerns: ({ settings }) => Number(settings.backupLockDays) > 0,
    run: async ({ backup, vault: BackupVaultName }) =>
      unless((await backup.describeBackupVault({ BackupVaultName })).Locked, "it is not"),
  },
  {
    name: "The metrics that the alarms on backups watch exist",
    remedy:
      "AWS Backup writes them after the first backup; if they have other dimensions, change infra/monitoring/resources.ts.",
    run: async ({ cloudWatch, vault: Value }) => {
      const query = { Namespace: "AWS/Backup", Dimensions: [{ Name: "BackupVaultName", Value }] };
      const { Metrics = [] } = await cloudWatch.listMetrics(query);
      const found = Metrics.some((metric) => metric.Dimensions?.length === 1);
      return unless(found, "there is no metric whose only dimension is the vault's name");
    },
  },
  {
    name: "A backup has been copied to the other region",
    remedy: `Enable AWS Backup's advanced features for DynamoDB (${ENABLE_ADVANCED_BACKUPS}), and read aws backup list-copy-jobs.`,
    concerns: ({ settings }) => String(settings.backupCopyVault ?? "").startsWith("arn:"), // not `none`
    run: async ({ backup, settings }) => {
      const query = { ByDestinationVaultArn: String(settings.backupCopyVault), ByState: "COMPLETED" } as const;
      const { CopyJobs = [] } = await backup.listCopyJobs(query);
      return listOf([
        unless(await hasAdvancedBackups(backup), "advanced features are off for DynamoDB"),
        unless(CopyJobs.length > 0, "no copy has completed"),
      ]);
    },
  },
  {
    name: "A trail reports calls to KMS, so that the alarm key-disabled can go off",
    remedy: "Create a trail of management events in CloudTrail, with KMS events included, and start its logging.",
    run: async ({ cloudTrail }) => {
      const { reports, trails } = await kmsTrails(cloudTrail);
      return unless(reports, `of ${trails} trails, none does`);
    },
  },
  {
    name: "The trail of direct accesses to patients is delivered",
    remedy: `Somebody stopped it or changed its bucket: ${RESTORE}.`,
    concerns: ({ all }) => all("AWS::CloudTrail::Trail").length > 0,
    run: async ({ cloudTrail, one }) => {
      const { IsLogging, LatestDeliveryError } = await cloudTrail.getTrailStatus({
        Name: one("AWS::CloudTrail::Trail"),
      });
      return IsLogging ? LatestDeliveryError || undefined : "it is not logging";
    },
  },
  {
    name: "The model's key has been entered",
    remedy: "Put the provider's key into the secret of the output ModelKeySecret.",
    run: async ({ one, secrets }) => {
      const SecretId = one("AWS::SecretsManager::Secret", "SecretsModelKey");
      const { SecretString } = await secrets.getSecretValue({ SecretId });
      return unless(SecretString !== MODEL_KEY_PLACEHOLDER, "the secret still has the placeholder");
    },
  },
  {
    name: "Every subscription to the alarms is confirmed",
    remedy: "Confirm it with the link in the message that AWS sent; to get another one, subscribe again.",
    concerns: ({ all }) => all("AWS::SNS::Topic").length > 0,
    run: async ({ all, sns }) => {
      const faults = all("AWS::SNS::Topic").map(async (TopicArn) => {
        const topic = TopicArn.split(":").at(-1);
        const pages = sns.paginateListSubscriptionsByTopic({ TopicArn });
        const found = (await Array.fromAsync(pages)).flatMap(({ Subscriptions = [] }) => Subscriptions);
        const pending = found.filter(({ SubscriptionArn }) => !SubscriptionArn?.startsWith("arn:"));
        return found.length === 0
          ? `${topic} has none`
          : listOf(pending.map(({ Protocol }) => `a subscription of ${topic} by ${Protocol} is not`));
      });
      return listOf(await Promise.all(faults));
    },
  },
  {
    name: "No alarm is on",
    remedy: "Look it up in docs/runbook.md.",
    run: async ({ cloudWatch, name }) => {
      const pages = cloudWatch.paginateDescribeAlarms({ AlarmNamePrefix: `${name}-`, StateValue: "ALARM" });
      const on = (await Array.fromAsync(pages)).flatMap(({ MetricAlarms = [], CompositeAlarms = [] }) => [
        ...MetricAlarms,
        ...CompositeAlarms,
      ]);
      return listOf(on.map(({ AlarmName }) => AlarmName));
    },
  },
  {
    name: "A sweep has written its metric",
    remedy:
      "Wait for the next sweep; then check that the EventBridge rule is enabled and read the log of sweep-threads.",
    run: async ({ cloudWatch, name: Value }) => {
      const Dimensions = [{ Name: "service", Value }];
      const query = { Namespace: "HealthAssistant", MetricName: "SweepCompleted", Dimensions };
      const pages = await Array.fromAsync(cloudWatch.paginateListMetrics(query));
      return unless(
        pages.some(({ Metrics = [] }) => Metrics.length > 0),
        "there is none in the last two weeks",
      );
    },
  },
  {
    name: "Every function, the gateway and the firewall can write their logs",
    remedy:
      "Run the live check, which calls every function; a group that stays empty lacks a permission on the KMS key.",
    run: async ({ all, logs }) => {
      // The gateway's execution log and a hook's log stay empty until something fails, or is deployed.
      const expected = all("AWS::Logs::LogGroup").filter((group) => !/Execution-Logs|DeploymentHook/.test(group));
      const empty = expected.map(async (logGroupName) => {
        const { logStreams = [] } = await logs.describeLogStreams({ logGroupName, limit: 1 });
        return unless(logStreams.length > 0, logGroupName);
      });
      return listOf(await Promise.all(empty));
    },
  },
  {
    name: "A new version was checked by its hook and deployed gradually",
    remedy: "Deploy a change to any function, wait, and read its deployment in CodeDeploy and the hook's log.",
    concerns: ({ all }) => all("AWS::CodeDeploy::DeploymentGroup").length > 0,
    run: async ({ all, codeDeploy, logs, one }) => {
      const applicationName = one("AWS::CodeDeploy::Application");
      const succeeded = all("AWS::CodeDeploy::DeploymentGroup").map(async (deploymentGroupName) => {
        const query = { applicationName, deploymentGroupName, includeOnlyStatuses: ["Succeeded" as const] };
        return (await codeDeploy.listDeployments(query)).deployments ?? [];
      });
      const filterPattern = '{ $.message.event = "deployment-check" && $.message.passed IS TRUE }';
      const logGroupName = one("AWS::Logs::LogGroup", "DeploymentHook");
      const pages = await Array.fromAsync(logs.paginateFilterLogEvents({ logGroupName, filterPattern }));
      return listOf([
        unless((await Promise.all(succeeded)).flat().length > 0, "no deployment has succeeded"),
        unless(
          pages.some(({ events = [] }) => events.length > 0),
          "the hook's log has no check that passed",
        ),
      ]);
    },
  },
];

function unless(holds: boolean | undefined, fault: string): string | undefined {
  return holds ? undefined : fault;
}

function listOf(faults: (string | undefined)[]): string | undefined {
  return faults.filter((fault) => fault !== undefined).join(", ") || undefined;
}
