import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SubscriptionProtocol, Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { Encryption } from "../encryption.ts";
import { pascalCase } from "../pascal-case.ts";
import type { Settings } from "../settings.ts";

export interface ServiceAlarmProps {
  /** What is wrong, as a sentence: the message to the operator starts with it. */
  problem: string;
  metric: IMetric;
  /** The lowest value that is a problem. */
  threshold: number;
  /** How many of how many periods must reach the threshold; 1 of 1 by default. */
  periods?: [bad: number, of: number];
  /** How a period without data is treated; as good by default. */
  missing?: TreatMissingData;
}

/** An alarm with an entry of the same name in the runbook, docs/operations.md. */
export class ServiceAlarm extends Alarm {
  /** @param name such as `sweep-missing`; CloudWatch shows it after the stack's name */
  constructor(
    scope: Construct,
    name: string,
    { problem, metric, threshold, periods: [bad, of] = [1, 1], missing }: ServiceAlarmProps,
  ) {
    super(scope, pascalCase(name), {
      alarmName: `${Stack.of(scope).stackName}-${name}`,
      alarmDescription: `${problem} What to do: docs/operations.md, Alarms, ${name}.`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: of,
      datapointsToAlarm: bad,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
  }
}

/** The topic that alarms are sent to, with the operator's subscription if one is set. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, encryption: Encryption, { alarmAddress }: Settings) {
    super(scope, id, {
      displayName: Stack.of(scope).stackName, // the sender's name in emails
      masterKey: encryption.key,
      enforceSSL: true,
    });
    encryption.allowService("cloudwatch");
    const alarms = Stack.of(this).formatArn({
      service: "cloudwatch",
      resource: "alarm",
      resourceName: `${Stack.of(this).stackName}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: "Alarms",
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [this.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID }, ArnLike: { "aws:SourceArn": alarms } },
      }),
    );
    if (alarmAddress) {
      this.addSubscription({
        bind: () => ({
          subscriberId: "Operator",
          endpoint: alarmAddress,
          protocol: alarmAddress.startsWith("https:") ? SubscriptionProtocol.HTTPS : SubscriptionProtocol.EMAIL,
        }),
      });
    }
  }
}
