import { Duration, Stack } from "aws-cdk-lib";
import type { IBackupVault } from "aws-cdk-lib/aws-backup";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { CfnFunction, IFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { BY_DUE, BY_PHONE_NUMBER, BY_SWEEP } from "../../shared/dynamo/keys.ts";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import { arnOf } from "../arn-of.ts";
import type { Data } from "../data-stack.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import { SWEEP_PARTS } from "../sweep-schedule.ts";
import { ServiceAlarm } from "./alarms.ts";
import { FIVE_MINUTES, type Graph, highest, inGroups, POINT, sum } from "./metrics.ts";
import { whatToDo } from "./runbook.ts";

/** As many alarms on throttled tables and indexes as their number requires. */
export function databaseThrottled(scope: Construct, tables: Data["tables"]): ServiceAlarm[] {
  return inGroups(throttleEvents(tables)).map(
    (group, index) =>
      new ServiceAlarm(scope, index === 0 ? "database-throttled" : `database-throttled-${index + 1}`, {
        problem: "DynamoDB throttled 10 reads or writes in 5 minutes.",
        metric: sum(group, "throttled reads and writes", FIVE_MINUTES),
        threshold: 10,
        severity: "urgent",
      }),
  );
}

/** How many runs of sweeps there are at least in a day that is not the stack's first one. */
const SWEEPS_OF_A_WHOLE_DAY = Math.floor((0.9 * 24 * 60 * 60) / SWEEP_INTERVAL_SECONDS) * SWEEP_PARTS;

/**
 * Alarms on the backups of the patients table ("AWS Backup metrics with Amazon CloudWatch").
 *
 * @param sweep runs all the time, which shows that the stack has existed for a whole day
 */
export function backupAlarms(scope: Construct, { backupVaultName }: IBackupVault, sweep: IFunction): ServiceAlarm[] {
  const jobs = (state: string, period: Duration) =>
    new Metric({
      namespace: "AWS/Backup",
      metricName: `NumberOfBackupJobs${state}`,
      dimensionsMap: { BackupVaultName: backupVaultName },
      statistic: "Sum",
      period,
    });
  const [hour, day] = [Duration.hours(1), Duration.days(1)];
  return [
    new ServiceAlarm(scope, "backup-failed", {
      problem: "A backup of the patients table failed, or did not finish in time.",
      metric: sum(
        ["Failed", "Expired", "Aborted"].map((end) => jobs(end, hour)),
        "failed backups",
        hour,
      ),
      threshold: 1,
      severity: "notice",
    }),
    new ServiceAlarm(scope, "backup-missing", {
      problem: "No backup of the patients table was started for two days.",
      metric: new MathExpression({
        label: "days without a backup",
        // There is no value on a day without a backup, and none at all before the first one.
        expression: `IF(sweeps >= ${SWEEPS_OF_A_WHOLE_DAY} AND SUM([created, sweeps]) - sweeps < 1, 1, 0)`,
        usingMetrics: {
          created: jobs("Created", day),
          sweeps: sweep.metricInvocations({ statistic: "Sum", period: day }),
        },
        period: day,
      }),
      threshold: 1,
      periods: [2, 2],
      severity: "notice",
    }),
  ];
}

/**
 * Sends a notification when a backup was not copied to the other region: CloudWatch has metrics of backup jobs only by
 * the vault that they write to, which is in the other region ("Monitoring AWS Backup events using Amazon EventBridge").
 */
export function warnOfFailedCopies(
  scope: Construct,
  { backupVaultName }: IBackupVault,
  topic: ITopic,
  settings: Settings,
): void {
  const { stackName } = Stack.of(scope);
  const vault = arnOf(scope, "backup", "backup-vault", backupVaultName);
  new Rule(scope, "CopyFailed", {
    description: `A backup of ${stackName} was not copied to the other region`,
    eventPattern: {
      source: ["aws.backup"],
      detailType: ["Copy Job State Change"],
      detail: { state: ["FAILED"], sourceBackupVaultArn: [vault] },
    },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `A backup of ${stackName} was not copied to the other region. ${whatToDo("copy-failed", settings)}`,
        ),
      }),
    ],
  });
}

/** Database latency, throttling and errors. */
export function databaseGraphs(tables: Data["tables"]): Graph[] {
  const { threads, patients } = tables;
  const both = Object.entries({ threads, patients });
  return [
    ...both.map(([name, table]) => ({
      title: `${name}: p95 by operation`,
      left: [byOperation(table, "SuccessfulRequestLatency", "p95")],
    })),
    {
      title: "Throttling and system errors",
      left: [
        sum(throttleEvents(tables), "throttled", POINT),
        ...both.map(([name, table]) => byOperation(table, "SystemErrors", "Sum", `${name}: system errors, `)),
      ],
    },
    {
      title: "Failed conditional writes",
      // Some are normal: IDs that are taken, concurrent turns, threads that were deleted.
      left: both.map(([label, table]) =>
        table.metricConditionalCheckFailedRequests({ statistic: "Sum", period: POINT, label }),
      ),
    },
  ];
}

/** Billed usage, in the units that AWS bills. */
export function usageGraphs(
  functions: Record<string, ServiceFunction>,
  { threads, patients }: Data["tables"],
): Graph[] {
  const all = Object.entries(functions);
  return [
    {
      title: "GB-seconds by function, those with the most",
      left: [
        highest(
          all.map(([name, fn]) => gigabyteSeconds(name, fn)),
          "gb",
        ),
      ],
    },
    {
      title: "Database reads and writes, log bytes",
      left: Object.entries({ threads, patients }).flatMap(([name, table]) => [
        table.metricConsumedReadCapacityUnits({ period: POINT, label: `${name}, read` }),
        table.metricConsumedWriteCapacityUnits({ period: POINT, label: `${name}, write` }),
      ]),
      right: [sum([...new Set(all.map(([, { logGroup }]) => logGroup))].map(incomingBytes), "log bytes", POINT, "b")],
    },
  ];
}

/** Each table and each index is throttled separately ("DynamoDB Metrics and dimensions"). */
function throttleEvents({ threads, patients, quotas, events, feedback, sources }: Data["tables"]): Metric[] {
  const places: Record<string, string>[] = [
    { TableName: threads.tableName },
    { TableName: threads.tableName, GlobalSecondaryIndexName: BY_SWEEP },
    { TableName: patients.tableName },
    { TableName: patients.tableName, GlobalSecondaryIndexName: BY_PHONE_NUMBER },
    { TableName: quotas.tableName },
    { TableName: events.tableName },
    { TableName: events.tableName, GlobalSecondaryIndexName: BY_DUE },
    { TableName: feedback.tableName },
    { TableName: sources.tableName },
  ];
  return places.flatMap((dimensionsMap) =>
    ["ReadThrottleEvents", "WriteThrottleEvents"].map(
      (metricName) =>
        new Metric({ namespace: "AWS/DynamoDB", metricName, dimensionsMap, statistic: "Sum", period: FIVE_MINUTES }),
    ),
  );
}

/** A graph line for each operation on a table, such as `TransactWriteItems`. */
function byOperation(table: ITable, name: string, statistic: string, label = ""): MathExpression {
  const search = `{AWS/DynamoDB,TableName,Operation} MetricName="${name}" TableName="${table.tableName}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${POINT.toSeconds()})`,
    label: `${label}\${PROP('Dim.Operation')}`,
    period: POINT,
  });
}

function gigabyteSeconds(label: string, fn: ServiceFunction): MathExpression {
  const { memorySize = 128 } = fn.node.defaultChild as CfnFunction;
  const id = `ms${label.replaceAll("-", "")}`;
  return new MathExpression({
    label,
    expression: `${id} / 1000 * ${memorySize / 1024}`,
    usingMetrics: { [id]: fn.metricDuration({ statistic: "Sum", period: POINT }) },
    period: POINT,
  });
}

function incomingBytes({ logGroupName }: ILogGroup): Metric {
  return new Metric({
    namespace: "AWS/Logs",
    metricName: "IncomingBytes",
    dimensionsMap: { LogGroupName: logGroupName },
    statistic: "Sum",
    period: POINT,
  });
}
