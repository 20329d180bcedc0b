import { Duration } from "aws-cdk-lib";
import { type Alarm, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { RouteName } from "../../shared/openapi/routes.ts";
import type { Api } from "../api.ts";
import { applicationMetric } from "./application-metric.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { byId } from "./sum.ts";
import { refusedAsTooMany } from "./throttling.ts";

const FIVE_MINUTES = Duration.minutes(5);

/**
 * What the slowest twentieth of a route's requests may take, in milliseconds. A chat waits for the model, which has 21 s;
 * a new thread for its opening question, which has 5 s; the others for a few trips to the database. A cold start fits in
 * (docs/performance.md).
 */
const P95_MILLISECONDS: Record<RouteName, number> = {
  chat: 15_000,
  "create-thread": 7_000,
  "get-thread": 1_500,
  "delete-thread": 1_500,
  "create-patient": 1_500,
  "get-patient": 1_500,
  openapi: 1_500,
  docs: 1_500,
  playground: 1_500,
};

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
  const routes = Object.entries(P95_MILLISECONDS);
  const latencies = routes.map(([route]) =>
    applicationMetric(scope, "Latency", { dimensions: { route }, statistic: "p95", period: FIVE_MINUTES }),
  );
  const tooSlow = routes.map(([, milliseconds], index) => `(FILL(p${index}, 0) > ${milliseconds})`);
  return new MathExpression({
    label: "routes that are slow",
    expression: tooSlow.join(" + "),
    usingMetrics: byId("p", latencies),
    period: FIVE_MINUTES,
  });
}
