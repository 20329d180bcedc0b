import { Duration } from "aws-cdk-lib";
import { type GraphWidgetProps, type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import {
  type DimensionedMetricName,
  type DimensionName,
  METRICS,
  type MetricName,
  NAMESPACE,
} from "../../shared/request/metric-registry.ts";
import { metricsService } from "../service-function.ts";

/** The period of most alarms. */
export const FIVE_MINUTES = Duration.minutes(5);

/** One data point of a graph. A dashboard that shows days uses longer ones automatically. */
export const POINT = Duration.minutes(1);

/** A graph: its title, the lines on the left axis and, in another unit, those on the right. */
export type Graph = Pick<GraphWidgetProps, "title" | "left" | "right" | "stacked">;

interface Options {
  /** The sum by default. */
  statistic?: string;
  period: Duration;
  label?: string;
}

/** A value for each dimension of a metric, besides `service`. */
type Dimensions<Name extends MetricName> = Name extends DimensionedMetricName
  ? { dimensions: Record<DimensionName<Name>, string> }
  : { dimensions?: never };

/**
 * A metric that the functions of a stack write themselves.
 *
 * @param scope any construct in the stack
 */
export function applicationMetric<Name extends MetricName>(
  scope: Construct,
  name: Name,
  { dimensions, statistic = "Sum", ...options }: Options & Dimensions<Name>,
): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { service: metricsService(scope), ...dimensions },
    statistic,
    ...options,
  });
}

/**
 * A graph line for each combination of a metric's dimension values, such as models. Only dashboards can
 * search; alarms cannot ("Use search expressions in graphs").
 *
 * @param scope any construct in the stack
 */
export function byDimension(
  scope: Construct,
  name: DimensionedMetricName,
  statistic: string,
  period: Duration,
): MathExpression {
  const { dimensions } = METRICS[name];
  const search = `{${[NAMESPACE, "service", ...dimensions]}} MetricName="${name}" service="${metricsService(scope)}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${period.toSeconds()})`,
    label: dimensions.map((dimension) => `\${PROP('Dim.${dimension}')}`).join(", "),
    period,
  });
}

/** The most metrics of an alarm on an expression ("Limits that apply to alarms based on metric math expressions"). */
const MOST_METRICS = 10;

/**
 * Splits a list into groups that one alarm each can watch, so that any number of functions can be added.
 *
 * @param each how many metrics of each element are watched
 */
export function inGroups<T>(all: readonly T[], each = 1): T[][] {
  const size = Math.floor(MOST_METRICS / each);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/**
 * The sum of metrics. Metrics without a value are left out; if none has a value, neither does the sum. This does not
 * use `FILL`, which fills in values that are only late, and can leave an alarm stuck ("Using metric math with
 * CloudWatch metrics").
 *
 * @param prefix of the metrics' IDs, which must be unique within an alarm or a graph
 */
export function sum(metrics: IMetric[], label: string, period: Duration, prefix = "m"): MathExpression {
  const usingMetrics = byId(prefix, metrics);
  return new MathExpression({
    expression: `SUM([${Object.keys(usingMetrics).join(", ")}])`,
    usingMetrics,
    label,
    period,
  });
}

/** The most lines of a graph in which one can be told from another. */
const MOST_LINES = 8;

/**
 * The metrics with the highest values, each a line of a graph with its own label ("Using math expressions with
 * CloudWatch metrics", SLICE and SORT).
 */
export function highest(metrics: IMetric[], prefix = "m"): MathExpression {
  const usingMetrics = byId(prefix, metrics);
  return new MathExpression({
    expression: `SLICE(SORT([${Object.keys(usingMetrics).join(", ")}], MAX, DESC), 0, ${MOST_LINES})`,
    usingMetrics,
    label: "",
    period: POINT,
  });
}

/** Metrics keyed by the IDs that an expression refers to them by: `m0`, `m1` and so on. */
export function byId(prefix: string, metrics: IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}
