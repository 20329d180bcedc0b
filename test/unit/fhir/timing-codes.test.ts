import { expect, test } from "@jest/globals";
import { isSameOften } from "../../../shared/fhir/timing-codes.ts";

test.each([
  [60, "s", "min"],
  [60, "min", "h"],
  [24, "h", "d"],
  [7, "d", "wk"],
  [30, "d", "mo"],
  [365, "d", "a"],
])("once in %i %s is as often as once in 1 %s, and not as twice", (period, unit, larger) => {
  const often = (times: number) => isSameOften({ times: 1, period, unit }, { times, period: 1, unit: larger });
  expect([often(1), often(2)]).toEqual([true, false]);
});
