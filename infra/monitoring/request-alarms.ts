import { Duration } from "aws-cdk-lib";
import { type Alarm, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { endpoints } from "../../shared/openapi/registry.ts";
import type { Api } from "../api.ts";
import { applicationMetric } from "./application-metric.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { byId } from "./sum.ts";
import { refusedAsTooMany } from "./throttling.ts";

const FIVE_MINUTES = Duration.minutes(5);

/** Whether callers are answered, in time, and are who they should be. */
export function requestAlarms(scope: Construct, { restApi }: Api): Alarm[] {
  const stage = restApi.deploymentStage;
  return [
    new ServiceAlarm(scope, "api-errors", {
      fault: "5 % of the requests and at least 5 in 5 minutes are answered with a 5xx.",
      metric: new MathExpression({
        label: "requests answered with 5xx, %",
        expression: "IF(errors >= 5, 100 * errors / requests, 0)",
        usingMetrics: {
          errors: stage.metricServerError({ statistic: "Sum", period: FIVE_MINUTES }),
          requests: stage.metricCount({ statistic: "Sum", period: FIVE_MINUTES }),
        },
        period: FIVE_MINUTES,
      }),
      threshold: 5,
    }),
    new ServiceAlarm(scope, "slow", {
      fault: "The slowest twentieth of a route's requests takes longer than it may, for 15 minutes.",
      metric: slowRoutes(scope),
      threshold: 1,
      periods: [3, 3],
    }),
    new ServiceAlarm(scope, "api-throttled", {
      fault: "20 requests in 5 minutes were answered with 429: too many per second, or from one address.",
      metric: refusedAsTooMany(scope, FIVE_MINUTES),
      threshold: 20,
    }),
    new ServiceAlarm(scope, "keys-refused", {
      fault: "100 requests in 5 minutes had an API key that is not known.",
      metric: applicationMetric(scope, "AuthenticationFailures", {
        dimensions: { reason: "unknown" },
        statistic: "Sum",
        period: FIVE_MINUTES,
      }),
      threshold: 100,
    }),
  ];
}

/** How many routes are slower than they may be. */
function slowRoutes(scope: Construct): MathExpression {
  const latencies = endpoints.map(({ name: route }) =>
    applicationMetric(scope, "Latency", { dimensions: { route }, statistic: "p95", period: FIVE_MINUTES }),
  );
  const tooSlow = endpoints.map(({ p95Milliseconds }, index) => `(FILL(p${index}, 0) > ${p95Milliseconds})`);
  return new MathExpression({
    label: "routes that are slow",
    expression: tooSlow.join(" + "),
    usingMetrics: byId("p", latencies),
    period: FIVE_MINUTES,
  });
}
