import { jest } from "@jest/globals";

/** What the synthesized template tells the functions that they are of. */
const SERVICE = "health-assistant-dev";

/** One value of a metric, as CloudWatch would read it from a log. */
export interface MetricValue {
  name: string;
  unit: string;
  value: number;
  /** Without that of the service, which all have: the name of the stack that tests run on. */
  dimensions: Record<string, string>;
}

/**
 * Reads the metrics out of log lines in the embedded metric format, as its specification says (Amazon CloudWatch User
 * Guide, "Specification: Embedded metric format").
 *
 * @throws Error when a line breaks the format, or is of another namespace or service
 */
export function metricsIn(lines: string[]): MetricValue[] {
  return lines.flatMap((text) => {
    const line = text.startsWith('{"_aws"') ? JSON.parse(text) : undefined;
    if (!line) {
      return [];
    }
    const [{ Namespace, Dimensions, Metrics }, ...more] = line._aws.CloudWatchMetrics;
    const { service, ...dimensions } = Object.fromEntries(Dimensions[0].map((key: string) => [key, line[key]]));
    const textual = Object.values(dimensions).every((value) => typeof value === "string" && value !== "");
    const ours = Namespace === "HealthAssistant" && service === SERVICE;
    if (!ours || !textual || more.length > 0 || Dimensions.length > 1 || !Number.isInteger(line._aws.Timestamp)) {
      throw new Error(`this line is not as the service's metrics are: ${text}`);
    }
    return Metrics.flatMap(({ Name: name, Unit: unit }: { Name: string; Unit: string }) =>
      [line[name]].flat().map((value: number) => ({ name, unit, value, dimensions })),
    );
  });
}

/** The values of one metric with these dimensions. */
export function valuesOf(all: MetricValue[], name: string, dimensions: Record<string, string> = {}): number[] {
  const wanted = JSON.stringify(dimensions);
  return all.filter((one) => one.name === name && JSON.stringify(one.dimensions) === wanted).map(({ value }) => value);
}

/**
 * Has code of this process write its metrics, as in a Lambda, to the test instead of to the output. Ended by
 * `jest.restoreAllMocks()`.
 *
 * @returns reads what has been written
 */
export function captureMetrics(): () => MetricValue[] {
  const output = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const environment = { AWS_LAMBDA_FUNCTION_NAME: "function", METRICS_SERVICE: SERVICE };
  jest.replaceProperty(process, "env", { ...process.env, ...environment });
  return () => metricsIn(output.mock.calls.map(([text]) => String(text)));
}
