import { config } from "../config.ts";
import { MetricLine } from "../request/metric-line.ts";
import {
  type DimensionedMetricName,
  type DimensionName,
  ESSENTIAL_METRICS,
  type MetricName,
  type MetricUnit,
  type UnlinkedMetricName,
} from "../request/metric-registry.ts";
import { currentRequest, type RequestContext } from "../request/request-context.ts";
import { describeError, logWarning } from "./logger.ts";

/** The value of each of a metric's dimensions; no argument for a metric without dimensions. */
type Dimensions<Name extends MetricName> = Name extends DimensionedMetricName
  ? [dimensions: Record<DimensionName<Name>, string>]
  : [dimensions?: never];

/**
 * Records one value of a metric from `shared/request/metric-registry.ts`. The values of a request are written together
 * by {@link writeMetrics} at its end; others are written immediately. Outside Lambda nothing is written, because no
 * other output is parsed for metrics.
 */
export function count<Name extends Exclude<MetricName<"Count">, UnlinkedMetricName>>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Count", value, currentRequest(), dimensions);
}

/** Like {@link count}, for metrics whose values must not be linked to a request, because it leads to a patient. */
export function countWithoutRequestId<Name extends UnlinkedMetricName>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Count", value, undefined, dimensions);
}

/** Like {@link count}, for a duration in milliseconds. */
export function duration<Name extends MetricName<"Milliseconds">>(
  name: Name,
  milliseconds: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Milliseconds", milliseconds, currentRequest(), dimensions);
}

/** Like {@link count}, for a time in seconds. */
export function seconds<Name extends MetricName<"Seconds">>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Seconds", value, currentRequest(), dimensions);
}

function record(
  name: string,
  unit: MetricUnit,
  value: number,
  request: RequestContext | undefined,
  dimensions: Record<string, string> = {},
): void {
  if (!config.inLambda || (config.essentialMetricsOnly && !ESSENTIAL_METRICS.includes(name))) {
    return;
  }
  if (!Number.isFinite(value)) {
    // A request must not fail because a value cannot be recorded.
    logWarning("metrics-failure", describeError(new RangeError(`a value of ${name} is not a finite number`)));
    return;
  }
  let line = request?.metrics.find((one) => one.accepts(dimensions));
  if (!line) {
    line = new MetricLine();
    request?.metrics.push(line);
  }
  line.add(name, unit, value, dimensions);
  if (!request) {
    write(line, undefined);
  }
}

/** Writes the metrics of a request. */
export function writeMetrics({ id, metrics }: RequestContext): void {
  for (const line of metrics.splice(0)) {
    write(line, id);
  }
}

/** Bypasses `console`, which wraps its arguments, because CloudWatch expects metrics at the top level of a line. */
function write(line: MetricLine, xRequestId: string | undefined): void {
  process.stdout.write(`${line.toJson(xRequestId)}\n`);
}
