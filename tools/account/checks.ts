import {
  DescribeBackupVaultCommand,
  DescribeRegionSettingsCommand,
  ListBackupJobsCommand,
  ListCopyJobsCommand,
  ListRecoveryPointsByBackupVaultCommand,
} from "@aws-sdk/client-backup";
import {
  DescribeTrailsCommand,
  GetEventSelectorsCommand,
  type GetEventSelectorsCommandOutput,
  GetTrailStatusCommand,
} from "@aws-sdk/client-cloudtrail";
import { ListMetricsCommand, paginateDescribeAlarms, paginateListMetrics } from "@aws-sdk/client-cloudwatch";
import { DescribeLogStreamsCommand, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { ListDeploymentsCommand } from "@aws-sdk/client-codedeploy";
import { DescribeContinuousBackupsCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { DescribeKeyCommand, GetKeyRotationStatusCommand } from "@aws-sdk/client-kms";
import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { paginateListSubscriptionsByTopic } from "@aws-sdk/client-sns";
import { MODEL_KEY_PLACEHOLDER } from "../../shared/config.ts";
import type { Account, Check } from "./account.ts";

const RESTORE = "deploy again, which restores what the template says";

const ADVANCED = "aws backup update-region-settings --resource-type-management-preference DynamoDB=true";

/** What can be checked without changing anything. */
export const CHECKS: Check[] = [
  {
    name: "The stack is deployed completely",
    remedy: "Read the stack's events in CloudFormation, and deploy again.",
    run: async ({ stack }) =>
      /^(CREATE|UPDATE)_COMPLETE$/.test(stack.StackStatus ?? "") ? undefined : `its status is ${stack.StackStatus}`,
  },
  {
    name: "A stack that keeps its data is protected from deletion",
    remedy: `A first deployment that was interrupted leaves it unprotected: ${RESTORE}.`,
    concerns: ({ settings }) => settings.deletionProtection === true,
    run: async (account) => {
      const { Table } = await account.dynamoDb.send(new DescribeTableCommand({ TableName: account.patientsTable }));
      return account.stack.EnableTerminationProtection && Table?.DeletionProtectionEnabled
        ? undefined
        : "the stack or the patients table can be deleted";
    },
  },
  {
    name: "At least 100 concurrent executions of Lambda stay unreserved",
    remedy: "Request a higher quota (Service Quotas, code L-B99A9384).",
    run: async ({ lambda }) => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand());
      const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
      return unreserved >= 100 ? undefined : `${unreserved} are unreserved`;
    },
  },
  {
    name: "The stack's KMS keys are enabled, and rotated every year",
    remedy: `Cancel a scheduled deletion at once (aws kms cancel-key-deletion), enable the key, and ${RESTORE}.`,
    run: async (account) => {
      const faults = await Promise.all(account.all("AWS::KMS::Key").map((KeyId) => keyFault(account, KeyId)));
      return listOf(faults.filter((fault) => fault !== undefined));
    },
  },
  {
    name: "Patients can be restored to any point in time",
    remedy: `Somebody disabled point-in-time recovery: ${RESTORE}.`,
    run: async (account) => {
      const { ContinuousBackupsDescription } = await account.dynamoDb.send(
        new DescribeContinuousBackupsCommand({ TableName: account.patientsTable }),
      );
      const status = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
      return status === "ENABLED" ? undefined : `point-in-time recovery is ${status}`;
    },
  },
  {
    name: "A backup of patients has completed",
    remedy:
      "Run this script with --try, which starts one, or read why the last one failed (aws backup list-backup-jobs).",
    run: async ({ backup, vault }) => {
      const { BackupJobs = [] } = await backup.send(new ListBackupJobsCommand({ ByBackupVaultName: vault }));
      return BackupJobs.some(({ State }) => State === "COMPLETED")
        ? undefined
        : `of ${BackupJobs.length} jobs, none has`;
    },
  },
  {
    name: "Backups are encrypted with the vault's own key",
    remedy: `Enable AWS Backup's advanced features for DynamoDB (${ADVANCED}); this applies to later backups.`,
    run: async ({ backup, vault }) => {
      const query = { BackupVaultName: vault };
      const { EncryptionKeyArn } = await backup.send(new DescribeBackupVaultCommand(query));
      const { RecoveryPoints = [] } = await backup.send(new ListRecoveryPointsByBackupVaultCommand(query));
      const others = RecoveryPoints.filter((point) => point.EncryptionKeyArn !== EncryptionKeyArn);
      return others.length > 0 ? `${others.length} of ${RecoveryPoints.length} have another key` : undefined;
    },
  },
  {
    name: "The vault is locked, so that nobody can delete a backup",
    remedy: `Nobody can change a lock after three days; before that, somebody can remove it: ${RESTORE}.`,
    concerns: ({ settings }) => Number(settings.backupLockDays) > 0,
    run: async ({ backup, vault }) => {
      const { Locked } = await backup.send(new DescribeBackupVaultCommand({ BackupVaultName: vault }));
      return Locked ? undefined : "it is not";
    },
  },
  {
    name: "The metrics that the alarms on backups watch exist",
    remedy:
      "AWS Backup writes them after the first backup; if they have other dimensions, change infra/monitoring/resources.ts.",
    run: async ({ cloudWatch, vault }) => {
      const Dimensions = [{ Name: "BackupVaultName", Value: vault }];
      const { Metrics = [] } = await cloudWatch.send(new ListMetricsCommand({ Namespace: "AWS/Backup", Dimensions }));
      return Metrics.some((metric) => metric.Dimensions?.length === 1)
        ? undefined
        : "there is no metric whose only dimension is the vault's name";
    },
  },
  {
    name: "A backup has been copied to the other region",
    remedy: `Enable AWS Backup's advanced features for DynamoDB (${ADVANCED}), and read aws backup list-copy-jobs.`,
    concerns: ({ settings }) => Boolean(settings.backupCopyVault),
    run: async ({ backup, settings }) => {
      const region = await backup.send(new DescribeRegionSettingsCommand());
      const ByDestinationVaultArn = String(settings.backupCopyVault);
      const { CopyJobs = [] } = await backup.send(
        new ListCopyJobsCommand({ ByDestinationVaultArn, ByState: "COMPLETED" }),
      );
      return listOf([
        ...(region.ResourceTypeManagementPreference?.DynamoDB ? [] : ["advanced features are off for DynamoDB"]),
        ...(CopyJobs.length > 0 ? [] : ["no copy has completed"]),
      ]);
    },
  },
  {
    name: "A trail reports calls to KMS, so that the alarm key-disabled can go off",
    remedy: "Create a trail of management events in CloudTrail, with KMS events included, and start its logging.",
    run: async ({ cloudTrail }) => {
      const { trailList = [] } = await cloudTrail.send(new DescribeTrailsCommand());
      for (const { TrailARN: Name } of trailList) {
        const { IsLogging } = await cloudTrail.send(new GetTrailStatusCommand({ Name }));
        if (IsLogging && reportsKms(await cloudTrail.send(new GetEventSelectorsCommand({ TrailName: Name })))) {
          return undefined;
        }
      }
      return `of ${trailList.length} trails, none does`;
    },
  },
  {
    name: "The trail of direct accesses to patients is delivered",
    remedy: `Somebody stopped it or changed its bucket: ${RESTORE}.`,
    concerns: (account) => account.all("AWS::CloudTrail::Trail").length > 0,
    run: async (account) => {
      const Name = account.one("AWS::CloudTrail::Trail");
      const { IsLogging, LatestDeliveryError } = await account.cloudTrail.send(new GetTrailStatusCommand({ Name }));
      return IsLogging ? LatestDeliveryError || undefined : "it is not logging";
    },
  },
  {
    name: "The model's key has been entered",
    remedy: "Put the provider's key into the secret of the output ModelKeySecret.",
    run: async (account) => {
      const SecretId = account.one("AWS::SecretsManager::Secret", "SecretsModelKey");
      const { SecretString } = await account.secrets.send(new GetSecretValueCommand({ SecretId }));
      return SecretString === MODEL_KEY_PLACEHOLDER ? "the secret still has the placeholder" : undefined;
    },
  },
  {
    name: "Every subscription to the alarms is confirmed",
    remedy: "Confirm it with the link in the message that AWS sent; to get another one, subscribe again.",
    concerns: (account) => account.all("AWS::SNS::Topic").length > 0,
    run: async (account) => {
      const faults: string[] = [];
      for (const TopicArn of account.all("AWS::SNS::Topic")) {
        const topic = TopicArn.split(":").at(-1);
        let count = 0;
        for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
          { client: account.sns },
          { TopicArn },
        )) {
          count += Subscriptions.length;
          const pending = Subscriptions.filter(({ SubscriptionArn }) => !SubscriptionArn?.startsWith("arn:"));
          faults.push(...pending.map(({ Protocol }) => `a subscription of ${topic} by ${Protocol} is not`));
        }
        faults.push(...(count === 0 ? [`${topic} has none`] : []));
      }
      return listOf(faults);
    },
  },
  {
    name: "No alarm is on",
    remedy: "Look it up in docs/runbook.md; sweep-missing and backup-missing are on in a new stack.",
    run: async ({ cloudWatch, name }) => {
      const on: string[] = [];
      const query = { AlarmNamePrefix: `${name}-`, StateValue: "ALARM" as const };
      for await (const { MetricAlarms = [], CompositeAlarms = [] } of paginateDescribeAlarms(
        { client: cloudWatch },
        query,
      )) {
        on.push(...[...MetricAlarms, ...CompositeAlarms].map(({ AlarmName = "" }) => AlarmName));
      }
      return listOf(on);
    },
  },
  {
    name: "A sweep has written its metric",
    remedy: "Wait ten minutes; then check that the EventBridge rule is enabled and read the log of sweep-threads.",
    run: async ({ cloudWatch, name }) => {
      const Dimensions = [{ Name: "service", Value: name }];
      const query = { Namespace: "HealthAssistant", MetricName: "SweepCompleted", Dimensions };
      for await (const { Metrics = [] } of paginateListMetrics({ client: cloudWatch }, query)) {
        if (Metrics.length > 0) {
          return undefined;
        }
      }
      return "there is none in the last two weeks";
    },
  },
  {
    name: "Every function, the gateway and the firewall can write their logs",
    remedy:
      "Run the live check, which calls every function; a group that stays empty lacks a permission on the KMS key.",
    run: async (account) => {
      const empty: string[] = [];
      // The gateway's execution log and a hook's log stay empty until something fails, or is deployed.
      const expected = account
        .all("AWS::Logs::LogGroup")
        .filter((group) => !/Execution-Logs|DeploymentHook/.test(group));
      for (const logGroupName of expected) {
        const { logStreams = [] } = await account.logs.send(new DescribeLogStreamsCommand({ logGroupName, limit: 1 }));
        empty.push(...(logStreams.length > 0 ? [] : [logGroupName]));
      }
      return listOf(empty);
    },
  },
  {
    name: "A new version was checked by its hook and deployed gradually",
    remedy: "Deploy a change to any function, wait, and read its deployment in CodeDeploy and the hook's log.",
    concerns: (account) => account.all("AWS::CodeDeploy::DeploymentGroup").length > 0,
    run: async (account) => {
      const passed = await hookHasPassed(account);
      const applicationName = account.one("AWS::CodeDeploy::Application");
      for (const deploymentGroupName of account.all("AWS::CodeDeploy::DeploymentGroup")) {
        const query = { applicationName, deploymentGroupName, includeOnlyStatuses: ["Succeeded" as const] };
        const { deployments = [] } = await account.codeDeploy.send(new ListDeploymentsCommand(query));
        if (deployments.length > 0) {
          return passed ? undefined : "the hook's log has no check that passed";
        }
      }
      return "no deployment has succeeded";
    },
  },
];

function listOf(faults: string[]): string | undefined {
  return faults.length > 0 ? faults.join(", ") : undefined;
}

async function keyFault({ kms }: Account, KeyId: string): Promise<string | undefined> {
  const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }));
  const { KeyRotationEnabled } = await kms.send(new GetKeyRotationStatusCommand({ KeyId }));
  return KeyMetadata?.KeyState !== "Enabled"
    ? `${KeyId} is ${KeyMetadata?.KeyState}`
    : KeyRotationEnabled
      ? undefined
      : `${KeyId} is not rotated`;
}

/** Whether a trail's selectors, of the basic or the advanced kind, include management events of KMS. */
function reportsKms({ EventSelectors = [], AdvancedEventSelectors = [] }: GetEventSelectorsCommandOutput): boolean {
  return (
    EventSelectors.some(
      ({ IncludeManagementEvents, ExcludeManagementEventSources = [], ReadWriteType }) =>
        IncludeManagementEvents &&
        ReadWriteType !== "ReadOnly" &&
        !ExcludeManagementEventSources.includes("kms.amazonaws.com"),
    ) ||
    AdvancedEventSelectors.some(({ FieldSelectors = [] }) => {
      const of = (field: string) => FieldSelectors.find(({ Field }) => Field === field);
      return (
        of("eventCategory")?.Equals?.includes("Management") &&
        !of("readOnly")?.Equals?.includes("true") &&
        !of("eventSource")?.NotEquals?.includes("kms.amazonaws.com")
      );
    })
  );
}

async function hookHasPassed(account: Account): Promise<boolean> {
  const filterPattern = '{ $.message.event = "deployment-check" && $.message.passed IS TRUE }';
  const query = { logGroupName: account.one("AWS::Logs::LogGroup", "DeploymentHook"), filterPattern };
  for await (const { events = [] } of paginateFilterLogEvents({ client: account.logs }, query)) {
    if (events.length > 0) {
      return true;
    }
  }
  return false;
}
