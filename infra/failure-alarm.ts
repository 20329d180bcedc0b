import { Duration, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export interface FailureAlarmProps {
  /** The function's name. */
  name: string;
  live: Alias;
  logGroup: ILogGroup;
  /** How many failures in five minutes are too many. */
  tooMany: number;
}

/** A function crashes, runs out of time, or answers with an error what is not its caller's fault. */
export class FailureAlarm extends Alarm {
  constructor(scope: Construct, id: string, { name, live, logGroup, tooMany }: FailureAlarmProps) {
    const { stackName } = Stack.of(scope);
    const period = Duration.minutes(5);
    // Lambda counts what it had to end itself. What the function answered for itself, with a 500, is in its log.
    const reported = new MetricFilter(scope, "Failures", {
      logGroup,
      filterPattern: FilterPattern.stringValue("$.message.event", "=", "failure"),
      metricNamespace: stackName,
      metricName: `${name}-failures`,
    });
    const suffix = name.replaceAll("-", "_"); // a graph may show several of these, and wants ids to differ
    const failures = new MathExpression({
      label: name,
      expression: `FILL(crashes_${suffix}, 0) + FILL(reported_${suffix}, 0)`,
      usingMetrics: {
        [`crashes_${suffix}`]: live.metricErrors({ period }),
        [`reported_${suffix}`]: reported.metric({ statistic: "Sum", period }),
      },
      period,
    });
    super(scope, id, {
      alarmName: `${stackName}-${name}-failing`,
      alarmDescription:
        `${name} crashes, runs out of time or answers with 5xx; a deployment is taken back on it. ` +
        `What to do: docs/operations.md, Alarms, ${name}-failing.`,
      metric: failures,
      threshold: tooMany,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
