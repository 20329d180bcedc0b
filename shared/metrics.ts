import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { currentRequestId, describeError, logWarning } from "./logger.ts";

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

/** The values that one line holds: those with the same dimension. */
interface Line {
  dimension: Record<string, string>;
  requestId: string | undefined;
  values: [name: string, unit: Unit, value: number][];
}

/**
 * Metrics in CloudWatch's embedded format: lines of the log that CloudWatch turns into metrics, without a call. A
 * dimension is a client's name or a kind of failure, and never anything about a patient.
 *
 * The one instance writes all lines: Powertools' `singleMetric()` makes an instance and a console for each value, which
 * takes ten times as long as the line.
 */
const metrics = new Metrics({ namespace: "HealthAssistant", serviceName: "health-assistant" });

/** What has been recorded and is not written yet, by request and dimension. */
const lines = new Map<string, Line>();

/**
 * Records one value. Values with the same dimension that are recorded without waiting in between are written as one
 * line, before anything else that waits goes on; so none are lost when the invocation fails, ends or is cut off later.
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

function record(name: string, unit: Unit, value: number, dimension: Record<string, string>): void {
  if (lines.size === 0) {
    queueMicrotask(publishLines);
  }
  const requestId = currentRequestId();
  const key = JSON.stringify([requestId, dimension]);
  const line = lines.get(key);
  if (line) {
    line.values.push([name, unit, value]);
  } else {
    lines.set(key, { dimension, requestId, values: [[name, unit, value]] });
  }
}

function publishLines(): void {
  for (const line of lines.values()) {
    try {
      publish(line);
    } catch (error) {
      metrics.clearMetrics();
      logWarning("metrics-failure", describeError(error)); // a request is not to fail for a value that cannot be counted
    }
  }
  lines.clear();
}

/** Dimensions and metadata come last: a value that is refused leaves none of them to the next line. */
function publish({ dimension, requestId, values }: Line): void {
  for (const [name, unit, value] of values) {
    metrics.addMetric(name, unit, value);
  }
  metrics.addDimensions(dimension);
  if (requestId !== undefined) {
    metrics.addMetadata("requestId", requestId);
  }
  metrics.publishStoredMetrics();
}
