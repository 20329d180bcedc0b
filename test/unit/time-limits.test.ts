import { expect, test } from "@jest/globals";
import { chatLimits, LONGEST_MODEL_SECONDS, MODEL_SECONDS } from "../../shared/time-limits.ts";

test.each([5, MODEL_SECONDS, 120, LONGEST_MODEL_SECONDS])(
  "with %d s for the model, each limit exceeds the next inner one",
  (seconds) => {
    const limits = chatLimits(seconds);
    expect(limits.totalMilliseconds).toBe(seconds * 1_000);
    expect(limits.firstTokenMilliseconds).toBeLessThan(limits.totalMilliseconds);
    expect(limits.p95Milliseconds).toBeLessThan(limits.totalMilliseconds);
    expect(limits.functionSeconds * 1_000).toBeGreaterThan(limits.totalMilliseconds);
    expect(limits.gatewaySeconds).toBeGreaterThan(limits.functionSeconds);
    expect(limits.gatewaySeconds).toBeLessThan(5 * 60); // API Gateway's limit for a stream without a byte
    for (const limit of Object.values(limits)) {
      expect(Number.isInteger(limit)).toBe(true);
    }
  },
);

test("the default limits suit a waiting person", () => {
  expect(chatLimits(MODEL_SECONDS)).toEqual({
    totalMilliseconds: 21_000,
    firstTokenMilliseconds: 12_000,
    functionSeconds: 28,
    gatewaySeconds: 29,
    p95Milliseconds: 15_000,
  });
});
