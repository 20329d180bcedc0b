import { Duration } from "aws-cdk-lib";
import type { BackupVault } from "aws-cdk-lib/aws-backup";
import { type Alarm, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { ServiceAlarm } from "./service-alarm.ts";
import { sum } from "./sum.ts";

const HOUR = Duration.hours(1);

/** Whether the patients are backed up ("AWS Backup metrics with Amazon CloudWatch"). */
export function backupAlarms(scope: Construct, { backupVaultName }: BackupVault): Alarm[] {
  const jobs = ["Failed", "Expired", "Aborted"].map(
    (end) =>
      new Metric({
        namespace: "AWS/Backup",
        metricName: `NumberOfBackupJobs${end}`,
        dimensionsMap: { BackupVaultName: backupVaultName },
        statistic: "Sum",
        period: HOUR,
      }),
  );
  return [
    new ServiceAlarm(scope, "backup-failed", {
      fault: "A backup of the patients failed, or did not end in time.",
      metric: sum(jobs, "backups that did not succeed", HOUR),
      threshold: 1,
    }),
  ];
}
