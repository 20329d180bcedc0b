import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
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

/** The period of the alarm and its metrics. */
export const FAILURE_PERIOD = Duration.minutes(5);

export interface FailureAlarmProps {
  /** The name of the function, or of the group of functions. */
  name: string;
  logGroup: ILogGroup;
  /** The number of failures in five minutes that sets off the alarm. */
  tooMany: number;
  /** The invocations, of which at least 5% must fail as well; undefined if the number of failures is enough. */
  invocations: IMetric | undefined;
}

/** An alarm on functions that crash, time out or return server-side errors. */
export class FailureAlarm extends Alarm {
  /** The number of failures, for graphs. */
  readonly failures: Metric;
  /** The percentage of invocations that failed; 0 if fewer than `tooMany` did. */
  readonly failedPercent: MathExpression | undefined;

  constructor(scope: Construct, id: string, { name, logGroup, tooMany, invocations }: FailureAlarmProps) {
    const { stackName } = Stack.of(scope);
    const period = FAILURE_PERIOD;
    const counted = new MetricFilter(scope, "Failures", {
      logGroup,
      filterPattern: FAILURE,
      metricNamespace: stackName,
      metricName: `${name}-failures`,
    });
    const failures = counted.metric({ statistic: "Sum", period, label: name });
    const suffix = name.replaceAll("-", "_"); // so that an alarm can combine several functions
    const failedPercent =
      invocations &&
      new MathExpression({
        label: `${name}: failed invocations, %`,
        expression: `IF(failed_${suffix} >= ${tooMany}, 100 * failed_${suffix} / invocations_${suffix}, 0)`,
        usingMetrics: { [`failed_${suffix}`]: failures, [`invocations_${suffix}`]: invocations },
        period,
      });
    super(scope, id, {
      alarmName: `${stackName}-${name}-failing`,
      alarmDescription: `${name}: functions crash, time out or return 5xx; a deployment in progress is rolled back.`,
      metric: failedPercent ?? failures,
      threshold: failedPercent ? FAILED_PERCENT : tooMany,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 2, // a value may arrive after its period was evaluated
      datapointsToAlarm: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    this.failures = failures;
    this.failedPercent = failedPercent;
  }
}
