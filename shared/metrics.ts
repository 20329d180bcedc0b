import { config } from "./config.ts";
import { currentRequestId, describeError, logWarning } from "./logger.ts";
import {
  type DimensionedMetricName,
  type DimensionName,
  ESSENTIAL_METRICS,
  type MetricName,
  type MetricUnit,
  NAMESPACE,
  type UnlinkedMetricName,
} from "./metric-registry.ts";

/** The metrics of one line: those of a request, or those recorded together outside of one. */
interface Line {
  requestId: string | undefined;
  /** The values of all dimensions; metrics on the same line agree on the dimensions they share. */
  dimensions: Record<string, string>;
  metrics: Map<string, { unit: MetricUnit; dimensions: string[]; values: number[] }>;
}

/** The value of each of a metric's dimensions; no argument for a metric without dimensions. */
type Dimensions<Name extends MetricName> = Name extends DimensionedMetricName
  ? [dimensions: Record<DimensionName<Name>, string>]
  : [dimensions?: never];

/** Metrics that have been recorded but not yet written. */
let lines: Line[] = [];

/**
 * Records one value of a metric from `shared/metric-registry.ts`. The values of a request are written as one line by
 * {@link writeMetrics} at its end; others are written before any code that awaits continues. Outside Lambda nothing is
 * written, because no other output is parsed for metrics.
 */
export function count<Name extends Exclude<MetricName<"Count">, UnlinkedMetricName>>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Count", value, currentRequestId(), dimensions);
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
  record(name, "Milliseconds", milliseconds, currentRequestId(), dimensions);
}

/** Like {@link count}, for a time in seconds. */
export function seconds<Name extends MetricName<"Seconds">>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Seconds", value, currentRequestId(), dimensions);
}

function record(
  name: string,
  unit: MetricUnit,
  value: number,
  requestId: string | undefined,
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
  if (requestId === undefined) {
    queueMicrotask(() => writeMetrics(undefined));
  }
  const { metrics } = lineFor(requestId, dimensions);
  const metric = metrics.get(name) ?? { unit, dimensions: Object.keys(dimensions), values: [] };
  metric.values.push(value);
  metrics.set(name, metric);
}

/**
 * Returns the line that a metric goes into. A line has one value per dimension, so a request needs another line only if
 * one of its dimensions has two values, such as the kinds of two different model failures.
 */
function lineFor(requestId: string | undefined, dimensions: Record<string, string>): Line {
  let line = lines.find((one) => one.requestId === requestId && agrees(one.dimensions, dimensions));
  if (!line) {
    line = { requestId, dimensions: {}, metrics: new Map() };
    lines.push(line);
  }
  Object.assign(line.dimensions, dimensions);
  return line;
}

function agrees(present: Record<string, string>, added: Record<string, string>): boolean {
  for (const name in added) {
    if (present[name] !== undefined && present[name] !== added[name]) {
      return false;
    }
  }
  return true;
}

/**
 * Writes the metrics of a request at its end, or those outside of any request.
 *
 * Bypasses `console`, which wraps its arguments, because CloudWatch expects metrics at the top level of a line.
 */
export function writeMetrics(requestId: string | undefined): void {
  const written = lines.filter((line) => line.requestId === requestId);
  lines = lines.filter((line) => line.requestId !== requestId);
  for (const line of written) {
    process.stdout.write(`${embeddedMetrics(line)}\n`);
  }
}

/**
 * A log line that CloudWatch turns into metrics, without an API call (Amazon CloudWatch User Guide, "Specification:
 * Embedded metric format").
 *
 * Written by hand because the library for it adds 10 KB to each bundle and takes six times as long per line.
 */
function embeddedMetrics({ requestId, dimensions, metrics }: Line): string {
  const members: Record<string, unknown> = { service: config.serviceName, ...dimensions, requestId };
  for (const [name, { values }] of metrics) {
    members[name] = values.length === 1 ? values[0] : values;
  }
  const aws = `{"Timestamp":${Date.now()},"CloudWatchMetrics":${definitionsOf(metrics)}}`;
  return `{"_aws":${aws},${JSON.stringify(members).slice(1)}`;
}

/** The definitions of metrics as JSON, by the names of the metrics. Requests have few combinations of metrics. */
const definitions = new Map<string, string>();

/** Returns the definitions of a line's metrics. Metrics with the same dimensions share a directive. */
function definitionsOf(metrics: Line["metrics"]): string {
  const key = [...metrics.keys()].join();
  let text = definitions.get(key);
  if (text === undefined) {
    const directives = new Map<string, { Namespace: string; Dimensions: string[][]; Metrics: object[] }>();
    for (const [Name, { unit, dimensions }] of metrics) {
      const directive = directives.get(dimensions.join()) ?? {
        Namespace: NAMESPACE,
        Dimensions: [["service", ...dimensions]],
        Metrics: [],
      };
      directive.Metrics.push({ Name, Unit: unit });
      directives.set(dimensions.join(), directive);
    }
    text = JSON.stringify([...directives.values()]);
    definitions.set(key, text);
  }
  return text;
}
