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

/** The values that one line holds: those with the same request and dimensions. */
interface Line {
  dimensions: Record<string, string>;
  requestId: string | undefined;
  values: [name: string, unit: MetricUnit, value: number][];
}

/** The value of each of a metric's dimensions; no argument at all for a metric without dimensions. */
type Dimensions<Name extends MetricName> = Name extends DimensionedMetricName
  ? [dimensions: Record<DimensionName<Name>, string>]
  : [dimensions?: never];

/** Values that have been recorded but not yet written, by request and dimensions. */
const lines = new Map<string, Line>();

/**
 * Records one value of a metric from `shared/metric-registry.ts`. Values with the same dimensions that are recorded
 * without an `await` in between are written as one line, before any other code that awaits continues: none are lost
 * when the invocation later fails, ends or is cut off. Outside Lambda nothing is written, since no other output is read
 * for metrics.
 */
export function count<Name extends Exclude<MetricName<"Count">, UnlinkedMetricName>>(
  name: Name,
  value: number,
  ...[dimensions]: Dimensions<Name>
): void {
  record(name, "Count", value, currentRequestId(), dimensions);
}

/** Like {@link count}, for metrics whose values must not be linked to a request, since it leads to a patient. */
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
  if (process.env.AWS_LAMBDA_FUNCTION_NAME === undefined) {
    return;
  }
  if (config.essentialMetricsOnly && !ESSENTIAL_METRICS.includes(name)) {
    return;
  }
  if (lines.size === 0) {
    queueMicrotask(writeLines);
  }
  const key = JSON.stringify([requestId, dimensions]);
  const line = lines.get(key);
  if (line) {
    line.values.push([name, unit, value]);
  } else {
    lines.set(key, { dimensions, requestId, values: [[name, unit, value]] });
  }
}

/** Bypasses `console`, which wraps what it logs: CloudWatch expects metrics at the top level of a line. */
function writeLines(): void {
  for (const line of lines.values()) {
    try {
      process.stdout.write(`${embeddedMetrics(line)}\n`);
    } catch (error) {
      logWarning("metrics-failure", describeError(error)); // a request must not fail because a value cannot be recorded
    }
  }
  lines.clear();
}

/**
 * A log line that CloudWatch turns into metrics, without an API call (Amazon CloudWatch User Guide, "Specification:
 * Embedded metric format").
 *
 * Written by hand because the library for it adds 10 KB to each bundle and takes six times as long per line.
 *
 * @throws RangeError if a value is not a finite number
 */
function embeddedMetrics({ dimensions: own, requestId, values }: Line): string {
  const dimensions = { service: config.serviceName, ...own };
  const units = new Map<string, MetricUnit>();
  const members: Record<string, number | number[]> = {};
  for (const [name, unit, value] of values) {
    if (!Number.isFinite(value)) {
      throw new RangeError(`a value of ${name} is not a finite number`);
    }
    const before = members[name];
    members[name] = before === undefined ? value : [before, value].flat();
    units.set(name, unit);
  }
  return JSON.stringify({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: [Object.keys(dimensions)],
          Metrics: [...units].map(([Name, Unit]) => ({ Name, Unit })),
        },
      ],
    },
    ...dimensions,
    requestId,
    ...members,
  });
}
