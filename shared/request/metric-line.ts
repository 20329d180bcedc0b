import { config } from "../config.ts";
import { table } from "../table.ts";
import { type MetricUnit, NAMESPACE } from "./metric-registry.ts";

/**
 * A log line that CloudWatch turns into metrics, without an API call (Amazon CloudWatch User Guide, "Specification:
 * Embedded metric format"). It has one value per dimension, so its metrics agree on the dimensions they share.
 */
export class MetricLine {
  private readonly dimensions: Record<string, string> = {};
  private readonly metrics = new Map<string, { unit: MetricUnit; dimensions: string[]; values: number[] }>();

  /** Whether a metric with these dimensions can be added. */
  accepts(dimensions: Record<string, string>): boolean {
    return Object.entries(dimensions).every(([name, value]) => (this.dimensions[name] ?? value) === value);
  }

  add(name: string, unit: MetricUnit, value: number, dimensions: Record<string, string>): void {
    const metric = this.metrics.get(name) ?? { unit, dimensions: Object.keys(dimensions), values: [] };
    metric.values.push(value);
    this.metrics.set(name, metric);
    Object.assign(this.dimensions, dimensions);
  }

  /** Returns the line. Metrics with the same dimensions share a directive. */
  toJson(xRequestId: string | undefined): string {
    const directives: Record<string, { Namespace: string; Dimensions: string[][]; Metrics: object[] }> = {};
    const members = table<unknown>({ service: config.serviceName, ...this.dimensions, xRequestId });
    for (const [Name, { unit, dimensions, values }] of this.metrics) {
      directives[dimensions.join()] ??= {
        Namespace: NAMESPACE,
        Dimensions: [["service", ...dimensions]],
        Metrics: [],
      };
      directives[dimensions.join()]?.Metrics.push({ Name, Unit: unit });
      members[Name] = values.length === 1 ? values[0] : values;
    }
    const _aws = { Timestamp: Date.now(), CloudWatchMetrics: Object.values(directives) };
    return JSON.stringify({ _aws, ...members });
  }
}
