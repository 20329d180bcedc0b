import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { startRequest } from "../../shared/logger.ts";
import { count, duration, seconds } from "../../shared/metrics.ts";

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

/** The lines written since the test began. */
async function lines(): Promise<Record<string, unknown>[]> {
  await Promise.resolve();
  return output.mock.calls.map(([text]) => JSON.parse(String(text)));
}

/** The part of a line that makes metrics of it. */
const definition = (dimensions: string[], ...values: [name: string, unit: string][]) => ({
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [
    { Namespace: "HealthAssistant", Dimensions: [dimensions], Metrics: values.map(([Name, Unit]) => ({ Name, Unit })) },
  ],
});

describe("metrics", () => {
  test("are lines in CloudWatch's embedded format, with the request's id", async () => {
    duration("Latency", 12, { model: "one" });
    expect(await lines()).toEqual([
      {
        _aws: definition(["service", "model"], ["Latency", "Milliseconds"]),
        service: "health-assistant",
        model: "one",
        requestId: "request-1",
        Latency: 12,
      },
    ]);
  });

  test.each([
    ["the stage's, as the stack sets it", "health-assistant-prod", "health-assistant-prod"],
    ["a general one, where nothing sets it", undefined, "health-assistant"],
    ["a general one, where nothing is in it", "", "health-assistant"],
  ])("have a service name: %s", async (_, variable, service) => {
    jest.replaceProperty(process, "env", { ...process.env, METRICS_SERVICE: variable });
    count("Retry", 1);
    expect(await lines()).toEqual([
      expect.objectContaining({ _aws: definition(["service"], ["Retry", "Count"]), service }),
    ]);
  });

  test("share a line when they are recorded together and have the same dimension", async () => {
    count("In", 10, { client: "one" });
    duration("Latency", 12);
    count("Out", 20, { client: "one" });
    count("In", 30, { client: "two" });
    expect(await lines()).toMatchObject([
      { _aws: definition(["service", "client"], ["In", "Count"], ["Out", "Count"]), client: "one", In: 10, Out: 20 },
      { _aws: definition(["service"], ["Latency", "Milliseconds"]), Latency: 12 },
      { _aws: definition(["service", "client"], ["In", "Count"]), client: "two", In: 30 },
    ]);
  });

  test("have the unit that they are recorded in", async () => {
    seconds("Lag", 1.5);
    duration("Latency", 12);
    expect(await lines()).toMatchObject([
      { _aws: definition(["service"], ["Lag", "Seconds"], ["Latency", "Milliseconds"]), Lag: 1.5, Latency: 12 },
    ]);
  });

  test("of the same name and dimension keep all their values", async () => {
    count("Retry", 1);
    count("Retry", 2);
    count("Retry", 3);
    expect(await lines()).toMatchObject([{ _aws: definition(["service"], ["Retry", "Count"]), Retry: [1, 2, 3] }]);
  });

  test("keep the request's id they were recorded under", async () => {
    count("Retry", 1);
    startRequest("request-2");
    count("Retry", 2);
    expect(await lines()).toMatchObject([
      { requestId: "request-1", Retry: 1 },
      { requestId: "request-2", Retry: 2 },
    ]);
  });

  test("are written before anything else goes on, so that a request that fails or hangs loses none", async () => {
    const failing = async () => {
      count("Failure", 1);
      throw new Error("a failure");
    };
    await expect(failing()).rejects.toThrow();
    expect(output).toHaveBeenCalledTimes(1);
  });

  test("are written in a Lambda only: nobody else's output is read for them", async () => {
    delete process.env.AWS_LAMBDA_FUNCTION_NAME;
    count("Retry", 1);
    process.env.AWS_LAMBDA_FUNCTION_NAME = "function";
    count("Failure", 1);
    expect(await lines()).toEqual([expect.not.objectContaining({ Retry: 1 })]);
  });

  test("that cannot be counted fail nothing, and do not spoil those after them", async () => {
    count("In", 10, { client: "one" });
    count("Out", "twenty" as unknown as number, { client: "one" });
    count("Retry", 1);
    expect(await lines()).toMatchObject([{ _aws: definition(["service"], ["Retry", "Count"]), Retry: 1 }]);
    expect(warnings).toHaveBeenCalledWith(
      expect.objectContaining({ event: "metrics-failure", errorName: "RangeError" }),
    );
  });
});
