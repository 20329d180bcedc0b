import { type Duration, Stack } from "aws-cdk-lib";
import { type MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { sum } from "./sum.ts";

const THROTTLED = "throttled-requests";

/**
 * Counts the requests that the stage's throttle refuses. A REST API has no metric for them: they are 4xx among others
 * ("Amazon API Gateway dimensions and metrics"), but the access log names the gateway response.
 */
export function countThrottled(scope: Construct, accessLog: ILogGroup): void {
  new MetricFilter(scope, "Throttled", {
    logGroup: accessLog,
    filterPattern: FilterPattern.stringValue("$.gatewayResponse", "=", "THROTTLED"),
    metricNamespace: Stack.of(scope).stackName,
    metricName: THROTTLED,
  });
}

/** Requests over the stage's throttle. */
export function throttled(scope: Construct, period: Duration): Metric {
  return new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: THROTTLED,
    statistic: "Sum",
    period,
    label: "over the throttle",
  });
}

/** Requests that a rule of the firewall refused; `RequestsPerAddress` is the limit per address ("AWS WAF metrics and dimensions"). */
export function blocked(scope: Construct, rule: string, label: string, period: Duration): Metric {
  const { stackName, region } = Stack.of(scope);
  return new Metric({
    namespace: "AWS/WAFV2",
    metricName: "BlockedRequests",
    dimensionsMap: { WebACL: stackName, Region: region, Rule: rule },
    statistic: "Sum",
    period,
    label,
  });
}

/** Requests that were answered with 429. */
export function refusedAsTooMany(scope: Construct, period: Duration): MathExpression {
  const overAddressLimit = blocked(scope, "RequestsPerAddress", "over the limit per address", period);
  return sum([throttled(scope, period), overAddressLimit], "requests answered with 429", period);
}
