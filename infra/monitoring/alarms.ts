import { Aws, Stack } from "aws-cdk-lib";
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SubscriptionProtocol, Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { arnOf } from "../arn-of.ts";
import { pascalCase } from "../pascal-case.ts";

export interface ServiceAlarmProps {
  /** What is wrong, as a sentence. The notification starts with it; what to do follows from the runbook. */
  problem: string;
  metric: IMetric;
  /** The lowest value that is a problem. */
  threshold: number;
  /** How many of how many periods must reach the threshold; 1 of 2 by default, since a value may arrive late. */
  periods?: [bad: number, of: number];
  /** How a period without data is treated; as not breaching by default. */
  missing?: TreatMissingData;
  severity: Severity;
}

/**
 * Who has to act, and when. `outage`: a sign that chats fail or are slow; these alarms do not notify anybody
 * themselves, but one composite alarm combines them. `urgent`: somebody has to act now. `notice`: somebody has to act
 * in the morning.
 */
export type Severity = "outage" | "urgent" | "notice";

/** An alarm with an entry of the same name in the runbook, docs/runbook.md. */
export class ServiceAlarm extends Alarm {
  readonly severity: Severity;

  /**
   * @param name such as `sweep-missing`; CloudWatch shows it after the stack's name. A number at the end, for the
   *   second of several alarms of one kind, is not part of the name in the runbook
   */
  constructor(
    scope: Construct,
    name: string,
    { problem, metric, threshold, periods: [bad, of] = [1, 2], missing, severity }: ServiceAlarmProps,
  ) {
    super(scope, pascalCase(name), {
      alarmName: `${Stack.of(scope).stackName}-${name}`,
      alarmDescription: problem,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: of,
      datapointsToAlarm: bad,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    this.severity = severity;
  }
}

/** Combines all signs that chats fail or are slow into one alarm, so that an outage of the provider is one page. */
export function outageAlarm(scope: Construct, signs: Alarm[]): CompositeAlarm {
  for (const sign of signs) {
    acknowledge(sign, {
      "HIPAA.Security-CloudWatchAlarmAction":
        "It is a sign of an outage, and the composite alarm that includes it notifies the operator. If it had " +
        "an action of its own, one outage of the model provider would send six messages at night.",
    });
  }
  return new CompositeAlarm(scope, "Outage", {
    compositeAlarmName: `${Stack.of(scope).stackName}-outage`,
    alarmDescription: "Chats fail or are slow: at least one of the alarms that this one combines is on.",
    alarmRule: AlarmRule.anyOf(...signs.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
  });
}

/**
 * An SNS topic for alarms, with a subscription if there is an address. It is not encrypted with a key of the stack,
 * because its messages must arrive when a key is lost, and EventBridge could not satisfy a key policy that names the
 * account or the rule ("Managing Amazon SNS encryption keys").
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, alarmAddress: string) {
    super(scope, id, {
      displayName: Stack.of(scope).stackName, // the sender's name in emails
      enforceSSL: true,
    });
    acknowledge(this, {
      "HIPAA.Security-SNSEncryptedKMS":
        "Its messages name an alarm and say what to do; nothing in them is about a patient. If the topic depended on " +
        "a key, a disabled key would silence every alarm, including the one that reports it.",
    });
    const alarms = arnOf(this, "cloudwatch", "alarm", `${Stack.of(this).stackName}-*`);
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
