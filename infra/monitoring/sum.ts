import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

/**
 * The sum of metrics; one that has no value counts as 0.
 *
 * @param prefix of the metrics' ids, which have to be unique within an alarm or a graph
 */
export function sum(metrics: IMetric[], label: string, period: Duration, prefix = "m"): MathExpression {
  const usingMetrics = byId(prefix, metrics);
  return new MathExpression({
    expression: Object.keys(usingMetrics)
      .map((id) => `FILL(${id}, 0)`)
      .join(" + "),
    usingMetrics,
    label,
    period,
  });
}

/** Metrics under ids that an expression can name them by: `m0`, `m1` and so on. */
export function byId(prefix: string, metrics: IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}
