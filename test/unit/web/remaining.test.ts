import { describe, expect, test } from "@jest/globals";
import { clock, spokenTime } from "../../../web/playground/remaining.ts";

describe("the remaining time", () => {
  test.each([
    [1_800_000, "30:00"],
    [1_799_001, "30:00"],
    [1_799_000, "29:59"],
    [60_000, "01:00"],
    [1, "00:01"],
    [0, "00:00"],
    [-5_000, "00:00"],
    [3_600_000, "60:00"],
  ])("of %d ms is shown as %s", (milliseconds, shown) => {
    expect(clock(milliseconds)).toBe(shown);
  });

  test.each([
    [300_001, 300_000, "The thread expires in 5 minutes."],
    [60_500, 59_500, "The thread expires in 1 minute."],
    [10_400, 9_400, "The thread expires in 10 seconds."],
    [400_000, 30_000, "The thread expires in 1 minute."],
  ])("is announced when it passes a threshold: from %d to %d ms", (before, now, said) => {
    expect(spokenTime(before, now)).toBe(said);
  });

  test.each([
    [300_000, 299_000],
    [1_800_000, 1_799_000],
    [9_000, 0],
    [59_000, 1_800_000],
  ])("is not announced in between or when it increases: from %d to %d ms", (before, now) => {
    expect(spokenTime(before, now)).toBeUndefined();
  });
});
