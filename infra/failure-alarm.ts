import { Duration, Stack, Validations } from "aws-cdk-lib";
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
    super(scope, id, {
      alarmName: `${stackName}-${name}-failing`,
      alarmDescription: `${name}: crashes, timeouts and 5xx answers in 5 minutes; a deployment is taken back on it`,
      metric: new MathExpression({
        label: "failures",
        expression: "FILL(crashes, 0) + FILL(reported, 0)",
        usingMetrics: {
          crashes: live.metricErrors({ period }),
          reported: reported.metric({ statistic: "Sum", period }),
        },
        period,
      }),
      threshold: tooMany,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    Validations.of(this).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-CloudWatchAlarmAction",
      reason:
        "Where traffic is shifted, CodeDeploy reads the alarm's state and takes the deployment back, which needs no action " +
        "here. Between deployments it shows in the console, and calls nobody.",
    });
  }
}
