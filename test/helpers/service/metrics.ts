import { jest } from "@jest/globals";

/** The service name that the synthesized template gives the functions. */
const SERVICE = "health-assistant-dev";

/** One value of a metric, as CloudWatch extracts it from a log. */
export interface MetricValue {
  name: string;
  unit: string;
  value: number;
  /** Without the dimension `service`, which every metric has. */
  dimensions: Record<string, string>;
}

/** The metric definitions of a line. */
interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit: string }[];
}

/**
 * Extracts metrics from log lines in the embedded metric format (Amazon CloudWatch User Guide, "Specification: Embedded
 * metric format").
 *
 * @throws Error when a line violates the format or has another namespace or service
 */
export function metricsIn(lines: string[]): MetricValue[] {
  return lines.flatMap((text) => {
    const line = text.startsWith('{"_aws"') ? JSON.parse(text) : undefined;
    if (!line) {
      return [];
    }
    return line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }: Directive) => {
      const { service, ...dimensions } = Object.fromEntries(Dimensions[0]?.map((key) => [key, line[key]]) ?? []);
      const textual = Object.values(dimensions).every((value) => typeof value === "string" && value !== "");
      const ours = Namespace === "HealthAssistant" && service === SERVICE;
      if (!ours || !textual || Dimensions.length > 1 || !Number.isInteger(line._aws.Timestamp)) {
        throw new Error(`not a valid metrics line of this service: ${text}`);
      }
      return Metrics.flatMap(({ Name: name, Unit: unit }) =>
        [line[name]].flat().map((value: number) => ({ name, unit, value, dimensions })),
      );
    });
  });
}

/** The values of one metric with these dimensions. */
export function valuesOf(all: MetricValue[], name: string, dimensions: Record<string, string> = {}): number[] {
  const wanted = JSON.stringify(dimensions);
  return all.filter((one) => one.name === name && JSON.stringify(one.dimensions) === wanted).map(({ value }) => value);
}

/**
 * Captures the metrics that code in this process writes, as if it ran in Lambda. Undone by `jest.restoreAllMocks()`.
 *
 * @returns a function that returns the metrics written so far
 */
export function captureMetrics(): () => MetricValue[] {
  const output = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const environment = { AWS_LAMBDA_FUNCTION_NAME: "function", METRICS_SERVICE: SERVICE };
  jest.replaceProperty(process, "env", { ...process.env, ...environment });
  return () => metricsIn(output.mock.calls.map(([text]) => String(text)));
}
