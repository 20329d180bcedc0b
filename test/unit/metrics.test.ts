import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { startRequest } from "../../shared/logger.ts";
import { count, countWithoutRequestId, duration, seconds, writeMetrics } from "../../shared/metrics.ts";

beforeAll(() => {
  process.env.AWS_LAMBDA_FUNCTION_NAME = "function";
});
afterAll(() => {
  delete process.env.AWS_LAMBDA_FUNCTION_NAME;
});

let output: jest.SpiedFunction<typeof process.stdout.write>;
let warnings: jest.SpiedFunction<typeof console.warn>;
beforeEach(() => {
  startRequest("request-1");
  output = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  warnings = jest.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns the lines written since the test began, once both requests have ended. */
async function lines(): Promise<Record<string, unknown>[]> {
  await Promise.resolve();
  writeMetrics("request-1");
  writeMetrics("request-2");
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
  test("are lines in CloudWatch's embedded metric format, with the request id", async () => {
    duration("ModelLatency", 12, { model: "one" });
    expect(await lines()).toEqual([
      {
        _aws: definition(["service", "model"], ["ModelLatency", "Milliseconds"]),
        service: "health-assistant",
        model: "one",
        requestId: "request-1",
        ModelLatency: 12,
      },
    ]);
  });

  test.each([
    ["the stage's, as the stack sets it", "health-assistant-prod", "health-assistant-prod"],
    ["the default, if it is not set", undefined, "health-assistant"],
    ["the default, if it is empty", "", "health-assistant"],
  ])("have a service name: %s", async (_, variable, service) => {
    jest.replaceProperty(process, "env", { ...process.env, METRICS_SERVICE: variable });
    count("ModelRetry", 1);
    expect(await lines()).toEqual([
      expect.objectContaining({ _aws: definition(["service"], ["ModelRetry", "Count"]), service }),
    ]);
  });

  test("share the line of their request, with a definition for each combination of dimensions", async () => {
    duration("ModelLatency", 10, { model: "one" });
    seconds("SweepLag", 12);
    await Promise.resolve();
    count("OutputTokens", 20);
    count("Errors", 1, { error: "model" });
    const [model] = definition(["service", "model"], ["ModelLatency", "Milliseconds"]).CloudWatchMetrics;
    const [none] = definition(["service"], ["SweepLag", "Seconds"], ["OutputTokens", "Count"]).CloudWatchMetrics;
    const [error] = definition(["service", "error"], ["Errors", "Count"]).CloudWatchMetrics;
    expect(await lines()).toEqual([
      {
        _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [model, none, error] },
        service: "health-assistant",
        requestId: "request-1",
        model: "one",
        error: "model",
        ModelLatency: 10,
        OutputTokens: 20,
        SweepLag: 12,
        Errors: 1,
      },
    ]);
  });

  test("get a separate line if a dimension already has another value", async () => {
    count("ModelFailure", 1, { kind: "timeout" });
    count("ModelFailure", 1, { kind: "server" });
    count("ModelRetry", 1);
    const failure = ["ModelFailure", "Count"] as const;
    expect(await lines()).toMatchObject([
      { _aws: { CloudWatchMetrics: [{ Metrics: [{ Name: failure[0] }] }, {}] }, kind: "timeout", ModelRetry: 1 },
      { _aws: definition(["service", "kind"], [...failure]), kind: "server", ModelFailure: 1 },
    ]);
  });

  test("have the unit in which they are recorded", async () => {
    seconds("SweepLag", 1.5);
    count("SweptThreads", 3);
    duration("ModelLatency", 12, { model: "one" });
    const [sweep] = definition(["service"], ["SweepLag", "Seconds"], ["SweptThreads", "Count"]).CloudWatchMetrics;
    const [model] = definition(["service", "model"], ["ModelLatency", "Milliseconds"]).CloudWatchMetrics;
    expect(await lines()).toMatchObject([
      { _aws: { CloudWatchMetrics: [sweep, model] }, SweepLag: 1.5, SweptThreads: 3, ModelLatency: 12 },
    ]);
  });

  test("with the same name and dimensions keep all their values", async () => {
    count("ModelRetry", 1);
    count("ModelRetry", 2);
    count("ModelRetry", 3);
    expect(await lines()).toMatchObject([
      { _aws: definition(["service"], ["ModelRetry", "Count"]), ModelRetry: [1, 2, 3] },
    ]);
  });

  test("keep the id of the request in which they were recorded", async () => {
    count("ModelRetry", 1);
    startRequest("request-2");
    count("ModelRetry", 2);
    expect(await lines()).toMatchObject([
      { requestId: "request-1", ModelRetry: 1 },
      { requestId: "request-2", ModelRetry: 2 },
    ]);
  });

  test("have no request id if it would lead to a patient", async () => {
    count("ModelRetry", 1);
    countWithoutRequestId("SafetyAlerts", 1, { level: "crisis", by: "screen" });
    const [alert] = await lines();
    expect(alert).toEqual({
      _aws: definition(["service", "level", "by"], ["SafetyAlerts", "Count"]),
      service: "health-assistant",
      level: "crisis",
      by: "screen",
      SafetyAlerts: 1,
    });
  });

  test("of a request are written once, when it ends", async () => {
    count("ModelFallback", 1);
    await Promise.resolve();
    expect(output).not.toHaveBeenCalled();
    writeMetrics("request-2");
    expect(output).not.toHaveBeenCalled();
    writeMetrics("request-1");
    expect(output).toHaveBeenCalledTimes(1);
    writeMetrics("request-1");
    expect(output).toHaveBeenCalledTimes(1);
  });

  test("without a request are written immediately, so that a run that fails or hangs loses none", async () => {
    const failing = async () => {
      countWithoutRequestId("SafetyAlerts", 1, { level: "crisis", by: "screen" });
      throw new Error("a failure");
    };
    await expect(failing()).rejects.toThrow();
    expect(output).toHaveBeenCalledTimes(1);
  });

  test("are written only in Lambda, the only place where the output is parsed for metrics", async () => {
    delete process.env.AWS_LAMBDA_FUNCTION_NAME;
    count("ModelRetry", 1);
    process.env.AWS_LAMBDA_FUNCTION_NAME = "function";
    count("ModelFallback", 1);
    expect(await lines()).toEqual([expect.not.objectContaining({ ModelRetry: 1 })]);
  });

  test("with an invalid value cause no failure and do not affect later metrics", async () => {
    count("InputTokens", 10);
    count("OutputTokens", "twenty" as unknown as number);
    count("ModelRetry", 1);
    const [line, ...more] = await lines();
    expect(line).toMatchObject({ InputTokens: 10, ModelRetry: 1 });
    expect(line).not.toHaveProperty("OutputTokens");
    expect(more).toEqual([]);
    expect(warnings).toHaveBeenCalledWith(
      expect.objectContaining({ event: "metrics-failure", errorName: "RangeError" }),
    );
  });
});
