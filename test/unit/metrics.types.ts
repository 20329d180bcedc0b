import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { applicationMetric, byDimension } from "../../infra/monitoring/metrics.ts";
import { count, countWithoutRequestId } from "../../shared/observability/metrics.ts";

/**
 * Never run: `npm run types` fails unless each of these calls is an error.
 */
export function recordingMistakes(): void {
  // @ts-expect-error: there is no metric of this name
  count("Retries", 1);
  // @ts-expect-error: its unit is milliseconds
  count("ModelLatency", 1, { model: "one" });
  // @ts-expect-error: it has a dimension
  count("Errors", 1);
  // @ts-expect-error: its dimension is the error
  count("Errors", 1, { client: "one" });
  // @ts-expect-error: it has a second dimension
  countWithoutRequestId("SafetyAlerts", 1, { level: "crisis" });
  // @ts-expect-error: it has no dimensions
  count("ModelRetry", 1, { kind: "timeout" });
  // @ts-expect-error: its request would lead to a patient
  count("SafetyAlerts", 1, { level: "crisis", by: "screen" });
  // @ts-expect-error: it has the request's ID
  countWithoutRequestId("ModelRetry", 1);
}

/** The same for alarms and graphs. */
export function graphMistakes(scope: Construct): void {
  const options = { statistic: "Sum", period: Duration.minutes(1) };
  // @ts-expect-error: there is no metric of this name
  applicationMetric(scope, "Retries", options);
  // @ts-expect-error: it has a dimension
  applicationMetric(scope, "Errors", options);
  // @ts-expect-error: its dimension is the error
  applicationMetric(scope, "Errors", { ...options, dimensions: { client: "one" } });
  // @ts-expect-error: it has no dimensions
  applicationMetric(scope, "ModelRetry", { ...options, dimensions: { kind: "timeout" } });
  // @ts-expect-error: it has no dimensions to search
  byDimension(scope, "ModelRetry", "Sum", Duration.minutes(1));
}
