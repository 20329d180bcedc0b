import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { count, duration, seconds, writeMetrics } from "../../shared/observability/metrics.ts";
import { type CallerContext, inRequest } from "../../shared/request/request-context.ts";
import { newContext } from "../helpers/caller.ts";

beforeAll(() => {
  process.env.AWS_LAMBDA_FUNCTION_NAME = "function";
});
afterAll(() => {
  delete process.env.AWS_LAMBDA_FUNCTION_NAME;
});

let request: CallerContext;
let output: jest.SpiedFunction<typeof process.stdout.write>;
let warnings: jest.SpiedFunction<typeof console.warn>;
beforeEach(() => {
  request = newContext();
  output = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  warnings = jest.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Records metrics in a request, and returns the lines written since the test began, once the request has ended. */
function linesOf(record: () => void): Record<string, unknown>[] {
  inRequest(request, record);
  writeMetrics(request);
  return output.mock.calls.map(([text]) => JSON.parse(String(text)));
}

/** The metric definitions of a line. */
const definition = (dimensions: string[], ...values: [name: string, unit: string][]) => ({
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [
    { Namespace: "HealthAssistant", Dimensions: [dimensions], Metrics: values.map(([Name, Unit]) => ({ Name, Unit })) },
  ],
});

describe("metrics", () => {
  test("share the line of their request, with a definition for each combination of dimensions", () => {
    const [model] = definition(["service", "model"], ["ModelLatency", "Milliseconds"]).CloudWatchMetrics;
    const [none] = definition(["service"], ["SweepLag", "Seconds"], ["OutputTokens", "Count"]).CloudWatchMetrics;
    const [error] = definition(["service", "error"], ["Errors", "Count"]).CloudWatchMetrics;
    const lines = linesOf(() => {
      duration("ModelLatency", 10, { model: "one" });
      seconds("SweepLag", 12);
      count("OutputTokens", 20);
      count("Errors", 1, { error: "model" });
    });
    expect(lines).toEqual([
      {
        _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [model, none, error] },
        service: "health-assistant",
        xRequestId: "a-request",
        model: "one",
        error: "model",
        ModelLatency: 10,
        OutputTokens: 20,
        SweepLag: 12,
        Errors: 1,
      },
    ]);
  });

  test("get a separate line if a dimension already has another value", () => {
    const lines = linesOf(() => {
      count("ModelFailure", 1, { kind: "timeout" });
      count("ModelFailure", 1, { kind: "server" });
      count("ModelRetry", 1);
    });
    const failure = ["ModelFailure", "Count"] as const;
    expect(lines).toMatchObject([
      { _aws: { CloudWatchMetrics: [{ Metrics: [{ Name: failure[0] }] }, {}] }, kind: "timeout", ModelRetry: 1 },
      { _aws: definition(["service", "kind"], [...failure]), kind: "server", ModelFailure: 1 },
    ]);
  });

  test("without a request are written immediately, so that a run that fails or hangs loses none", () => {
    count("SweptThreads", 3);
    expect(output).toHaveBeenCalledTimes(1);
    expect(linesOf(() => {})).toMatchObject([{ SweptThreads: 3 }]);
  });

  test("are written only in Lambda, the only place where the output is parsed for metrics", () => {
    const lines = linesOf(() => {
      delete process.env.AWS_LAMBDA_FUNCTION_NAME;
      count("ModelRetry", 1);
      process.env.AWS_LAMBDA_FUNCTION_NAME = "function";
      count("ModelFallback", 1);
    });
    expect(lines).toEqual([expect.not.objectContaining({ ModelRetry: 1 })]);
  });

  test("with an invalid value cause no failure and do not affect later metrics", () => {
    const [line, ...more] = linesOf(() => {
      count("InputTokens", 10);
      count("OutputTokens", "twenty" as unknown as number);
      count("ModelRetry", 1);
    });
    expect(line).toMatchObject({ InputTokens: 10, ModelRetry: 1 });
    expect(line).not.toHaveProperty("OutputTokens");
    expect(more).toEqual([]);
    expect(warnings).toHaveBeenCalledWith(
      expect.objectContaining({ event: "metrics-failure", errorName: "RangeError" }),
    );
  });
});
