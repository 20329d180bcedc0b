import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { pascalCase } from "../pascal-case.ts";

export interface ServiceAlarmProps {
  /** In the sentence "something is wrong when …": it stands in the message that an operator gets. */
  fault: string;
  metric: IMetric;
  /** The least value that is too much. */
  threshold: number;
  /** In how many periods of how many; one of one when not given. */
  periods?: [bad: number, of: number];
  /** What it means that nothing was measured; nothing was wrong, when not given. */
  missing?: TreatMissingData;
}

/** An alarm that the runbook in docs/operations.md has an entry for, under its name. */
export class ServiceAlarm extends Alarm {
  /**
   * @param scope the alarm's name becomes its id there
   * @param name such as `sweep-missing`; the stack's name is put before it
   */
  constructor(
    scope: Construct,
    name: string,
    { fault, metric, threshold, periods: [bad, of] = [1, 1], missing }: ServiceAlarmProps,
  ) {
    super(scope, pascalCase(name), {
      alarmName: `${Stack.of(scope).stackName}-${name}`,
      alarmDescription: `${fault} What to do: docs/operations.md, Alarms, ${name}.`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: of,
      datapointsToAlarm: bad,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
  }
}
