import { config } from "./config.ts";
import { currentRequestId, describeError, logWarning } from "./logger.ts";

type Unit = "Count" | "Milliseconds" | "Seconds";

/** The values that one line holds: those with the same dimension. */
interface Line {
  dimension: Record<string, string>;
  requestId: string | undefined;
  values: [name: string, unit: Unit, value: number][];
}

/** What has been recorded and is not written yet, by request and dimension. */
const lines = new Map<string, Line>();

/**
 * Records one value. Values with the same dimension that are recorded without waiting in between are written as one
 * line, before anything else that waits goes on; so none are lost when the invocation fails, ends or is cut off later.
 * Only a Lambda's output is read for metrics, so elsewhere nothing is written.
 *
 * docs/operations.md, "Metrics", lists all of them: dashboard and alerts know them by these names.
 *
 * @param dimension what to tell values of this metric apart by, such as `{ kind: "timeout" }`: a client's name, a kind
 *   of failure, and never anything about a patient
 */
export function count(name: string, value: number, dimension: Record<string, string> = {}): void {
  record(name, "Count", value, dimension, currentRequestId());
}

/**
 * Like {@link count}, for what would say something about a patient if it could be put beside a request: the line has no
 * request id.
 */
export function countApart(name: string, value: number, dimension: Record<string, string>): void {
  record(name, "Count", value, dimension, undefined);
}

/** Like {@link count}, for a duration in milliseconds. */
export function duration(name: string, milliseconds: number, dimension: Record<string, string> = {}): void {
  record(name, "Milliseconds", milliseconds, dimension, currentRequestId());
}

/** Like {@link count}, for a time in seconds. */
export function seconds(name: string, value: number, dimension: Record<string, string> = {}): void {
  record(name, "Seconds", value, dimension, currentRequestId());
}

function record(
  name: string,
  unit: Unit,
  value: number,
  dimension: Record<string, string>,
  requestId: string | undefined,
): void {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME === undefined) {
    return;
  }
  if (lines.size === 0) {
    queueMicrotask(writeLines);
  }
  const key = JSON.stringify([requestId, dimension]);
  const line = lines.get(key);
  if (line) {
    line.values.push([name, unit, value]);
  } else {
    lines.set(key, { dimension, requestId, values: [[name, unit, value]] });
  }
}

/** Past `console`, whose lines are wrapped: CloudWatch looks for metrics at the top of a line. */
function writeLines(): void {
  for (const line of lines.values()) {
    try {
      process.stdout.write(`${embeddedMetrics(line)}\n`);
    } catch (error) {
      logWarning("metrics-failure", describeError(error)); // a request is not to fail for a value that cannot be counted
    }
  }
  lines.clear();
}

/**
 * A line of the log that CloudWatch makes metrics of, without a call (Amazon CloudWatch User Guide, "Specification:
 * Embedded metric format").
 *
 * Written here because the library for it takes 10 KB of each bundle and six times as long for a line.
 *
 * @throws RangeError for a value that is no finite number
 */
function embeddedMetrics({ dimension, requestId, values }: Line): string {
  const dimensions = { service: config.serviceName, ...dimension };
  const units = new Map<string, Unit>();
  const members: Record<string, number | number[]> = {};
  for (const [name, unit, value] of values) {
    if (!Number.isFinite(value)) {
      throw new RangeError(`a value of ${name} is no number`);
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
          Namespace: "HealthAssistant",
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
