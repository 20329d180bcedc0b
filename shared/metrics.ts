import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { currentRequestId } from "./logger.ts";

/**
 * Metrics in CloudWatch's embedded format: lines of the log that CloudWatch turns into metrics, without a call. A
 * dimension is a client's name or a kind of failure, and never anything about a patient.
 */
const metrics = new Metrics({ namespace: "HealthAssistant", serviceName: "health-assistant" });

/**
 * Records one value.
 *
 * @param dimension what to tell values of this metric apart by, such as `{ kind: "timeout" }`
 */
export function count(name: string, value: number, dimension: Record<string, string> = {}): void {
  record(name, MetricUnit.Count, value, dimension);
}

/** Like {@link count}, for a duration in milliseconds. */
export function duration(name: string, milliseconds: number, dimension: Record<string, string> = {}): void {
  record(name, MetricUnit.Milliseconds, milliseconds, dimension);
}

function record(
  name: string,
  unit: (typeof MetricUnit)[keyof typeof MetricUnit],
  value: number,
  dimension: Record<string, string>,
): void {
  const metric = metrics.singleMetric();
  metric.addDimensions(dimension);
  const requestId = currentRequestId();
  if (requestId !== undefined) {
    metric.addMetadata("requestId", requestId);
  }
  metric.addMetric(name, unit, value);
}
