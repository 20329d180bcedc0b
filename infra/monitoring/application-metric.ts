import { type Duration, Stack } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";

/** What `shared/metrics.ts` writes its metrics under. */
const NAMESPACE = "HealthAssistant";

/**
 * The value of the dimension `service`, which tells one stage's metrics from another's in the same account: the stack's
 * name. `infra/service-function.ts` gives it to the functions.
 */
export function metricsService(scope: Construct): string {
  return Stack.of(scope).stackName;
}

interface ApplicationMetricOptions {
  statistic: string;
  period: Duration;
  /** What the service records beside its own name, such as `{ route: "chat" }`. */
  dimensions?: Record<string, string>;
  label?: string;
}

/**
 * A metric that the functions of a stack write themselves.
 *
 * @param scope anything in the stack
 * @param name such as `ModelRetry`; docs/operations.md, "Metrics", has all of them
 */
export function applicationMetric(
  scope: Construct,
  name: string,
  { dimensions, ...options }: ApplicationMetricOptions,
): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { service: metricsService(scope), ...dimensions },
    ...options,
  });
}

/**
 * One line of a graph for each value of a dimension, or of several together, whatever values there are: clients, models.
 * Only dashboards can search; an alarm cannot ("Use search expressions in graphs").
 *
 * @param scope anything in the stack whose functions write the metric
 * @param prefix of each line's name, where a graph has lines of two metrics
 */
export function byDimension(
  scope: Construct,
  name: string,
  dimensions: string | string[],
  statistic: string,
  period: Duration,
  prefix = "",
): MathExpression {
  const names = [dimensions].flat();
  const search = `{${[NAMESPACE, "service", ...names]}} MetricName="${name}" service="${metricsService(scope)}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${period.toSeconds()})`,
    label: prefix + names.map((dimension) => `\${PROP('Dim.${dimension}')}`).join(", "),
    period,
  });
}

/**
 * A metric over all values of one of its dimensions, as one number, by a Metrics Insights query.
 *
 * @param scope anything in the stack whose functions write the metric
 */
export function overAll(
  scope: Construct,
  name: string,
  dimension: string,
  label: string,
  period: Duration,
): MathExpression {
  const schema = `SCHEMA("${NAMESPACE}", service, ${dimension})`;
  return new MathExpression({
    expression: `SELECT SUM(${name}) FROM ${schema} WHERE service = '${metricsService(scope)}'`,
    label,
    period,
  });
}
