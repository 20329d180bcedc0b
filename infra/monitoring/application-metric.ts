import type { Duration } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";

/** What `shared/metrics.ts` writes its metrics under. */
const NAMESPACE = "HealthAssistant";
const SERVICE = "health-assistant";

interface ApplicationMetricOptions {
  statistic: string;
  period: Duration;
  /** What the service records beside its own name, such as `{ route: "chat" }`. */
  dimensions?: Record<string, string>;
  label?: string;
}

/**
 * A metric that the functions write themselves.
 *
 * @param name such as `ModelRetry`; OPERATIONS.md, "Metrics", has all of them
 */
export function applicationMetric(name: string, { dimensions, ...options }: ApplicationMetricOptions): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { service: SERVICE, ...dimensions },
    ...options,
  });
}

/**
 * One line of a graph for each value of a dimension, or of several together, whatever values there are: clients, models.
 * Only dashboards can search; an alarm cannot ("Use search expressions in graphs").
 *
 * @param prefix of each line's name, where a graph has lines of two metrics
 */
export function byDimension(
  name: string,
  dimensions: string | string[],
  statistic: string,
  period: Duration,
  prefix = "",
): MathExpression {
  const names = [dimensions].flat();
  const search = `{${[NAMESPACE, "service", ...names]}} MetricName="${name}" service="${SERVICE}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${period.toSeconds()})`,
    label: prefix + names.map((dimension) => `\${PROP('Dim.${dimension}')}`).join(", "),
    period,
  });
}

/** A metric over all values of one of its dimensions, as one number, by a Metrics Insights query. */
export function overAll(name: string, dimension: string, label: string, period: Duration): MathExpression {
  const schema = `SCHEMA("${NAMESPACE}", service, ${dimension})`;
  return new MathExpression({
    expression: `SELECT SUM(${name}) FROM ${schema} WHERE service = '${SERVICE}'`,
    label,
    period,
  });
}
