import { Stack } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { ServiceFunction } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import { ServiceAlarm } from "./alarms.ts";
import { FIVE_MINUTES } from "./metrics.ts";
import { whatToDo } from "./runbook.ts";

const METRIC = "keys-not-read";

/** The alarm on API keys or model keys that cannot be read or refreshed. All logs count in one metric. */
export function keysUnreadable(scope: Construct, functions: ServiceFunction[]): ServiceAlarm {
  const { stackName } = Stack.of(scope);
  for (const logGroup of new Set(functions.map((fn) => fn.logGroup))) {
    new MetricFilter(logGroup, "KeysNotRead", {
      logGroup,
      filterPattern: FilterPattern.any(
        FilterPattern.stringValue("$.message.event", "=", "api-keys-unreadable"),
        FilterPattern.stringValue("$.message.event", "=", "secret-not-refreshed"),
      ),
      metricNamespace: stackName,
      metricName: METRIC,
    });
  }
  return new ServiceAlarm(scope, "keys-unreadable", {
    problem:
      "For 10 of 15 minutes, keys could not be read, or not be refreshed: revoked keys still work, new ones don't.",
    metric: new Metric({ namespace: stackName, metricName: METRIC, statistic: "Sum", period: FIVE_MINUTES }),
    threshold: 1,
    periods: [2, 3],
    severity: "urgent",
  });
}

/**
 * Sends a notification as soon as a KMS key is disabled or scheduled for deletion. While it is disabled, nothing can be
 * read; once it is deleted, data is lost forever. EventBridge receives these calls through CloudTrail, so the
 * account needs a trail. Any rule may publish to the topic, since EventBridge cannot satisfy a condition in a topic's
 * policy ("Using resource-based policies for Amazon EventBridge").
 *
 * @param keyNames the IDs and ARNs of the keys
 */
export function warnOfLostKeys(scope: Construct, keyNames: string[], topic: ITopic, settings: Settings): void {
  const { stackName } = Stack.of(scope);
  new Rule(scope, "KeyDisabled", {
    description: `Somebody disabled a key of ${stackName}, or scheduled its deletion`,
    eventPattern: {
      source: ["aws.kms"],
      detailType: ["AWS API Call via CloudTrail"],
      detail: {
        eventSource: ["kms.amazonaws.com"],
        eventName: ["DisableKey", "ScheduleKeyDeletion"],
        requestParameters: { keyId: keyNames },
      },
    },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `An encryption key of ${stackName} was disabled or scheduled for deletion. ${whatToDo("key-disabled", settings)}`,
        ),
      }),
    ],
  });
}
