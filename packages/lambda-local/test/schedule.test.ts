import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { runAligned } from "../schedule.ts";

describe("a schedule", () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse("2026-03-01T09:03:17.250Z") });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** The times of the runs in this many seconds. */
  function timesOfRuns(intervalSeconds: number, seconds: number): number[] {
    const times: number[] = [];
    const end = runAligned(intervalSeconds, () => times.push(Date.now()));
    jest.advanceTimersByTime(seconds * 1000);
    end();
    return times;
  }

  test("runs at multiples of its interval, never early and barely late", () => {
    const first = Date.parse("2026-03-01T09:10Z");
    const delays = timesOfRuns(600, 3600).map((time, index) => time - first - index * 600_000);
    expect(delays).toHaveLength(6);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(100);
  });

  test("keeps to the multiples after a late timer", () => {
    const times: number[] = [];
    const end = runAligned(600, () => {
      times.push(Date.now());
      // as on a machine that slept
      jest.setSystemTime(Date.now() + 14 * 60_000);
    });
    jest.advanceTimersByTime(20 * 60_000);
    end();
    expect(times.map((time) => new Date(time).toISOString().slice(11, 16))).toEqual(["09:10", "09:30", "09:50"]);
  });

  test("stops running when it is ended and leaves no timer", () => {
    const run = jest.fn();
    const end = runAligned(600, run);
    jest.advanceTimersByTime(600_000);
    expect(run).toHaveBeenCalledTimes(1);
    end();
    jest.advanceTimersByTime(3_600_000);
    expect(run).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
