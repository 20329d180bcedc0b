import { Duration, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, MathExpression, type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/** The percentage of invocations that must fail, for functions with traffic. */
const FAILED_PERCENT = 5;

/**
 * The log lines that count as failures. The function logs the 5xx responses that it returns itself. Lambda logs the end
 * of each invocation with its status, which is not `success` after a crash or a timeout ("Lambda Telemetry API Event
 * schema reference", platform.report). Counting both in the log, and not the second in Lambda's metric `Errors`, saves
 * one billed metric of each alarm.
 */
const FAILURE = FilterPattern.any(
  FilterPattern.stringValue("$.message.event", "=", "failure"),
  FilterPattern.all(
    FilterPattern.stringValue("$.type", "=", "platform.report"),
    FilterPattern.any(
      ...["error", "failure", "timeout"].map((status) => FilterPattern.stringValue("$.record.status", "=", status)),
    ),
  ),
);

export interface FailureAlarmProps {
  /** The function's name. */
  name: string;
  live: Alias;
  logGroup: ILogGroup;
  /** The number of failures in five minutes that sets off the alarm. */
  tooMany: number;
  /** Whether at least 5% of the invocations must fail as well. */
  asRate: boolean;
}

/** An alarm on a function that crashes, times out or returns server-side errors. */
export class FailureAlarm extends Alarm {
  /** The number of failures, for graphs. */
  readonly failures: Metric;
  /** The percentage of invocations that failed; 0 if fewer than `tooMany` did. */
  readonly failedPercent: MathExpression;

  constructor(scope: Construct, id: string, { name, live, logGroup, tooMany, asRate }: FailureAlarmProps) {
    const { stackName } = Stack.of(scope);
    const period = Duration.minutes(5);
    const counted = new MetricFilter(scope, "Failures", {
      logGroup,
      filterPattern: FAILURE,
      metricNamespace: stackName,
      metricName: `${name}-failures`,
    });
    const failures = counted.metric({ statistic: "Sum", period, label: name });
    const suffix = name.replaceAll("-", "_"); // so that an alarm can combine several functions
    const failedPercent = new MathExpression({
      label: `${name}: failed invocations, %`,
      expression: `IF(failed_${suffix} >= ${tooMany}, 100 * failed_${suffix} / invocations_${suffix}, 0)`,
      usingMetrics: { [`failed_${suffix}`]: failures, [`invocations_${suffix}`]: live.metricInvocations({ period }) },
      period,
    });
    super(scope, id, {
      alarmName: `${stackName}-${name}-failing`,
      alarmDescription:
        `${name} is crashing, timing out or returning 5xx; a deployment in progress is rolled back. ` +
        `What to do: docs/runbook.md, Alarms, ${name}-failing.`,
      metric: asRate ? failedPercent : failures,
      threshold: asRate ? FAILED_PERCENT : tooMany,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 2, // a value may arrive after its period was evaluated
      datapointsToAlarm: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    this.failures = failures;
    this.failedPercent = failedPercent;
  }
}
